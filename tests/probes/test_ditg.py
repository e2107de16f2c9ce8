"""The parser of D-ITG on real output of ITGDec: its values, and its refusals."""

import pytest
from cases import cases
from pydantic import ValidationError
from reading import values_of

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.ditg import Ditg

FOLDER = "d-itg-2.8.1"


def probe(**changes) -> Ditg:
    asked = {"sender": "a", "receiver": "b", "transport": "udp", "payload": 512}
    return Ditg(**asked | {"rate": "500pps", "duration": 0.5} | changes)


def read(content: bytes, name: str = "x.txt") -> dict[str, list[float]]:
    return values_of(Ditg, name, content)


def test_a_summary_cut_between_lines_is_refused(fixture):
    whole = fixture(f"{FOLDER}/udp-loss.txt").splitlines(keepends=True)
    for lines in range(len(whole)):
        with pytest.raises(LogError, match=rf"x.txt:{max(lines, 1)}: "):
            read(b"".join(whole[:lines]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"Number of flows          =             1", b"Number of flows          =             2"),
        (b"Error lines              =             0", b"Error lines              =             3"),
        (b"Total packets            =           441", b"Total packets            =             0"),
        (b"0.000962 s", b"-nan s"),
    ],
)
def test_nonsense_is_refused(fixture, old, new):
    content = fixture(f"{FOLDER}/udp-loss.txt")
    assert old in content
    with pytest.raises(LogError, match=new.decode().split("  ")[-1].strip()):
        read(content.replace(old, new))


def test_a_series_with_a_gap_is_refused(fixture):
    lines = fixture(f"{FOLDER}/udp-loss.series.txt").splitlines(keepends=True)
    with pytest.raises(LogError, match="x.series.txt:5: .*expected the interval from 400 ms"):
        read(b"".join(lines[:4] + lines[5:]), "x.series.txt")


def test_goodput_of_a_window_is_the_mean_of_its_intervals(fixture):
    """Summary and series of a run together have the values that they have without a window."""
    run, window = f"{FOLDER}/udp-esp-saturated", "x.500-900ms"
    series = read(fixture(f"{run}.series.txt"), f"{window}.series.txt")
    assert series.pop("goodput") == [pytest.approx((88.20224 + 88.67328 + 35.09248 + 34.7392) / 4)]
    assert series == read(fixture(f"{run}.series.txt"), "x.series.txt")
    whole = read(fixture(f"{run}.txt"))
    assert whole.pop("goodput") == [pytest.approx(71.300092)]
    assert read(fixture(f"{run}.txt"), f"{window}.txt") == whole


def test_a_window_behind_the_end_of_a_series_is_refused(fixture):
    with pytest.raises(LogError, match="no interval.*expected intervals from 2000 to 3000 ms"):
        read(fixture(f"{FOLDER}/udp-loss.series.txt"), "x.2000-3000ms.series.txt")


def test_check_wants_what_was_asked_for(fixture):
    for name in ("udp-normal.txt", "udp-normal.series.txt"):
        probe().require_complete(name, fixture(f"{FOLDER}/{name}"))
    with pytest.raises(LogError, match=r"found '0.49.* s', expected about 1 s"):
        probe(duration=1).require_complete("x.txt", fixture(f"{FOLDER}/udp-normal.txt"))


@pytest.mark.parametrize(
    ("rate", "pps"), [("1000pps", 1000), ("120mbit", 120e6 / 8 / 512), ("0.5mbit", 5e5 / 4096)]
)
def test_rates(rate, pps):
    assert probe(rate=rate).packets_per_second == pytest.approx(pps)


@pytest.mark.parametrize("changes", cases(__file__, "settings_that_cannot_be_are_refused"))
def test_settings_that_cannot_be_are_refused(changes):
    with pytest.raises(ValidationError, match=next(iter(changes))):
        probe(**changes)


# packets of the inbound SA that the gateway counted while these were measured
@pytest.mark.parametrize(
    ("run", "transport", "payload", "moved"),
    [
        ("udp-esp-fragmented", "udp", 1472, 473),
        ("udp-esp-saturated", "udp", 1472, 12120),
        ("tcp-esp-small", "tcp", 64, 980),
    ],
)
def test_carried_holds_what_the_sa_counted(fixture, run, transport, payload, moved):
    one = probe(transport=transport, payload=payload)
    carried = one.carried(list(Ditg.parse("x.txt", fixture(f"{FOLDER}/{run}.txt"))))
    assert carried.receiver == "b"
    assert carried.least_packets <= moved <= carried.most_packets + 400


def test_separate_writes_are_sent_at_once_and_each_needs_a_packet(fixture):
    """`-D`: TCP_NODELAY (ITGSend's manual). The run joined four writes to a packet."""
    joined, separate = (
        probe(transport="tcp", payload=64, separate_writes=on) for on in (False, True)
    )
    told = [" -D " in one.options("192.0.2.1", "x") for one in (joined, separate)]
    assert told == [False, True]
    values = list(Ditg.parse("x.txt", fixture(f"{FOLDER}/tcp-esp-small.txt")))
    assert joined.carried(values).least_packets < 980 < separate.carried(values).least_packets
