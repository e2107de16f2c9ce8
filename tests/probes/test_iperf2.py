"""iperf 2 and mpstat on real output: values, and refusals."""

import pytest

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.iperf2 import Iperf2, jain, read_rows, seconds_of

FOLDER = "iperf-2.2.1"


@pytest.mark.parametrize("name", ["three-streams.received.csv", "one-stream.sent.csv"])
def test_a_log_cut_in_the_middle_is_refused(fixture, name):
    lines = fixture(f"{FOLDER}/{name}").splitlines(keepends=True)
    with pytest.raises(LogError, match=rf"{name}:\d+: found 'no row of a whole run'"):
        list(Iperf2.parse(name, b"".join(lines[: len(lines) // 2])))
    with pytest.raises(LogError, match=rf"{name}:{len(lines)}: found .*is the file cut"):
        list(Iperf2.parse(name, b"".join(lines)[:-8]))


@pytest.mark.parametrize("name", ["three-streams", "eight-streams", "out-of-step"])
def test_a_run_without_sum_is_that_of_its_streams(fixture, name):
    """iperf's own sum, the last row, is known here: the bytes are the same, the rate is within 1 %.
    One of these logs also has a sum of the last seconds, which is not the run's."""
    log = fixture(f"{FOLDER}/{name}.received.csv")
    without_sum = b"".join(log.splitlines(keepends=True)[:-1])
    summed, made = ({v.metric: v.value for v in Iperf2.read(name, c)} for c in (log, without_sum))
    assert made.pop("throughput") == pytest.approx(summed.pop("throughput"), rel=0.01)
    assert made == summed


def test_a_second_without_sum_is_that_of_its_streams(fixture):
    name = "three-streams.received.csv"
    lines = fixture(f"{FOLDER}/{name}").splitlines(keepends=True)
    content = b"".join(line for line in lines if b",-1,1.0-2.0," not in line)
    assert [row.bytes for row in seconds_of(name, read_rows(name, content), 3)][1] == 95862552


def test_a_missing_stream_is_named(fixture):
    name = "three-streams.received.csv"
    lines = fixture(f"{FOLDER}/{name}").decode().splitlines(keepends=True)
    del lines[4]
    with pytest.raises(LogError, match="2 streams at 1 s"):
        list(Iperf2.parse(name, "".join(lines).encode()))


@pytest.mark.parametrize(
    ("part", "asked", "message"),
    [
        ("received", {"streams": 8, "duration": 3}, "'3 streams', expected 8"),
        ("sent", {"streams": 3, "duration": 10}, "'3.1 s', expected 10 s"),
    ],
)
def test_another_run_than_asked_is_refused(fixture, part, asked, message):
    name = f"three-streams.{part}.csv"
    with pytest.raises(LogError, match=message):
        Iperf2(client="left", server="right", **asked).require_complete(
            name, fixture(f"{FOLDER}/{name}")
        )


def test_fairness():
    assert jain([5, 5, 5, 5]) == 1
    assert jain([7, 0, 0, 0]) == 0.25
