"""iperf 2 and mpstat, as they really wrote: what is read, and what is refused."""

import json

import pytest

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.iperf2 import Iperf2, jain
from remeasure.bench.probes.readers import mpstat
from remeasure.bench.probes.readers.iperf2_rows import read_rows, seconds_of

FOLDER = "iperf-2.2.1"


def read(fixture, name: str) -> dict[str, list[float]]:
    values: dict[str, list[float]] = {}
    for observation in Iperf2.parse(name, fixture(f"{FOLDER}/{name}")):
        values.setdefault(observation.metric, []).append(observation.value)
    return values


def test_receiver_gives_the_throughput(fixture):
    values = read(fixture, "three-streams.received.csv")
    assert values["throughput"] == [786.925721]
    assert values["received_bytes"] == [304480448]
    assert values["streams"] == [3]
    # Its last second is 1.1 s long, and its rows come after those of streams that had ended.
    assert values["throughput_interval"] == [567.640256, 766.900416, 1005.396161]


def test_sender_has_the_mean_of_its_seconds(fixture):
    values = read(fixture, "three-streams.sent.csv")
    assert values["sent_throughput"] == [pytest.approx((893.388288 + 792.723456 + 1012.924416) / 3)]
    assert values["sent_bytes"] == [337772736]


def test_the_rest_of_a_last_write_is_no_second(fixture):
    values = read(fixture, "one-stream.sent.csv")
    assert values["sent_throughput"] == [pytest.approx((814.744064 + 734.003200 + 671.088640) / 3)]


def test_a_second_without_data_counts(fixture):
    values = read(fixture, "stalled.received.csv")
    assert values["throughput_interval"][3:5] == [2.094640, 0]
    assert values["throughput"] == [29.399001]


def test_rows_out_of_order_belong_to_their_second(fixture):
    name = "eight-streams.received.csv"
    rows = read_rows(name, fixture(f"{FOLDER}/{name}"))
    sums = seconds_of(name, rows, 8)
    assert [row.begin for row in sums] == [0, 1, 2]
    begins = [row.begin for row in rows if row.of_second]
    assert begins != sorted(begins)


@pytest.mark.parametrize(
    "name",
    [
        "three-streams.received.csv",
        "eight-streams.received.csv",
        "stalled.received.csv",
        "one-stream.sent.csv",
    ],
)
def test_a_log_cut_in_the_middle_is_refused(fixture, name):
    lines = fixture(f"{FOLDER}/{name}").splitlines(keepends=True)
    with pytest.raises(LogError, match=rf"{name}:\d+: found 'no row of a whole run'"):
        list(Iperf2.parse(name, b"".join(lines[: len(lines) // 2])))
    with pytest.raises(LogError, match=rf"{name}:{len(lines)}: found .*is the file cut"):
        list(Iperf2.parse(name, b"".join(lines)[:-8]))


def without(fixture, name: str, part: str) -> bytes:
    lines = fixture(f"{FOLDER}/{name}").decode().splitlines(keepends=True)
    return "".join(line for line in lines if part not in line).encode()


@pytest.mark.parametrize("name", ["three-streams", "eight-streams", "out-of-step"])
def test_a_run_without_sum_is_that_of_its_streams(fixture, name):
    """iperf's own sum, the last row, is known here: the bytes are the same, the rate is within 1 %.
    Of one of these logs there is a sum of the last seconds, too, which is not that of the run."""
    log = fixture(f"{FOLDER}/{name}.received.csv")
    without_sum = b"".join(log.splitlines(keepends=True)[:-1])
    summed, made = ({v.metric: v.value for v in Iperf2.read(name, c)} for c in (log, without_sum))
    assert made.pop("throughput") == pytest.approx(summed.pop("throughput"), rel=0.01)
    assert made == summed


def test_a_second_without_sum_is_that_of_its_streams(fixture):
    name = "three-streams.received.csv"
    content = without(fixture, name, ",-1,1.0-2.0,")
    assert [row.bytes for row in seconds_of(name, read_rows(name, content), 3)][1] == 95862552


def test_streams_out_of_step(fixture):
    values = read(fixture, "out-of-step.received.csv")
    assert values["throughput"] == [24.687130]
    assert values["throughput_interval"][0] == 48.622976
    assert len(values["throughput_interval"]) == 5


def test_a_missing_stream_is_named(fixture):
    name = "three-streams.received.csv"
    lines = fixture(f"{FOLDER}/{name}").decode().splitlines(keepends=True)
    del lines[4]
    with pytest.raises(LogError, match="2 streams at 1 s"):
        list(Iperf2.parse(name, "".join(lines).encode()))


def test_other_streams_than_asked_are_refused(fixture):
    name = "three-streams.received.csv"
    probe = Iperf2(client="left", server="right", streams=8, duration=3)
    with pytest.raises(LogError, match="'3 streams', expected 8"):
        probe.require_complete(name, fixture(f"{FOLDER}/{name}"))


def test_a_run_that_ended_early_is_refused(fixture):
    name = "three-streams.sent.csv"
    probe = Iperf2(client="left", server="right", streams=3, duration=10)
    with pytest.raises(LogError, match="'3.1 s', expected 10 s"):
        probe.require_complete(name, fixture(f"{FOLDER}/{name}"))


def test_fairness():
    assert jain([5, 5, 5, 5]) == 1
    assert jain([7, 0, 0, 0]) == 0.25


def test_processors_of_each_second(fixture):
    content = fixture("sysstat-12.7.5/two-cpus.left.mpstat.json")
    found = {(o.metric, o.index): o.value for o in mpstat.read("x.json", content, "left")}
    assert found["left_busy", 0] == pytest.approx(100 - 29.01)
    assert found["left_busy", 2] == pytest.approx(65.22)
    idle = [
        reading["cpu-load"][1]["idle"]
        for reading in json.loads(content)["sysstat"]["hosts"][0]["statistics"]
    ]
    assert found["left_cpu0_busy", 0] == pytest.approx(100 - sum(idle) / 3)


def test_cut_mpstat_is_refused(fixture):
    content = fixture("sysstat-12.7.5/two-cpus.left.mpstat.json")
    with pytest.raises(LogError, match=r"x.json:\d+: .*is the file cut"):
        list(mpstat.read("x.json", content[:-40], "left"))
