"""Links as scenarios write them."""

import json

import pytest
from cases import cases
from pydantic import ValidationError

from remeasure.bench.testbed.treatments.shaping import (
    FULL_FRAME,
    Netem,
    Shaping,
    dscp,
    parse_netem,
    rate_bits,
    seconds,
    size_bytes,
)

IMPAIRMENT = "delay 100ms 20ms distribution normal loss random 1%"


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (IMPAIRMENT, Netem(100, 20, "normal", 1)),
        ("delay 9ms", Netem(9)),
        ("loss 0.5%", Netem(loss_percent=0.5)),
        ("loss random 5%", Netem(loss_percent=5)),
        ("delay 1ms 2ms distribution pareto rate 1gbit", Netem(1, 2, "pareto", 0, 1e9)),
        ("delay 2ms reorder 100% gap 2", Netem(2, reorder_percent=100, gap=2)),
        ("delay 2ms reorder 25% gap 4 loss 1%", Netem(2, 0, None, 1, 0, 25, 4)),
    ],
)
def test_netem_is_read_into_numbers(words, numbers):
    assert parse_netem(words) == numbers
    assert Shaping(netem=words).impairment == numbers


def test_a_link_without_netem_has_no_impairment():
    assert Shaping(rate="100mbit").impairment == Netem()
    assert Shaping(rate="100mbit").rate_bits == 1e8
    assert Shaping().rate_bits is None


def test_rates_are_decimal():
    assert [rate_bits(r) for r in ("9bit", "1kbit", "1.5mbit", "1gbit")] == [9, 1e3, 1.5e6, 1e9]
    assert [seconds(t) for t in ("2s", "50ms", "0.5ms", "10us")] == [2, 0.05, 0.0005, 0.00001]


def test_sizes_are_counted_by_1024_as_tc_does(fixture):
    (found,) = {
        qdisc["options"]["burst"]
        for qdisc in json.loads(fixture("iproute2-7.2.0/qdisc-normal.json"))
        if qdisc["kind"] == "tbf"
    }
    assert Shaping(rate="100mbit", burst="128kb").burst_bytes == found
    assert [size_bytes(s) for s in ("9", "9b", "32kb", "2k", "1mb")] == [9, 9, 32768, 2048, 2**20]


@pytest.mark.parametrize(
    ("rate", "queue", "frames"),
    [
        ("10mbit", "50ms", 42),
        ("100mbit", "50ms", 413),
        ("100mbit", "0.1ms", 1),
        ("64kbit", "50ms", 1),
    ],
)
def test_a_full_frame_waits_for_no_longer_than_the_queue_says(rate, queue, frames):
    """And one place more would let it wait for longer."""
    link = Shaping(rate=rate, queue=queue)
    assert link.queue_frames == frames
    frame_s = 8 * FULL_FRAME / rate_bits(rate)
    assert (frames - 1) * frame_s <= seconds(queue) < frames * frame_s


@pytest.mark.parametrize(
    ("name", "number"),
    [("ef", 46), ("cs0", 0), ("cs5", 40), ("af41", 34), ("af13", 14), ("63", 63)],
)
def test_classes_of_traffic_have_numbers(name, number):
    """As RFC 2474, 2597 and 3246 give them."""
    assert Shaping(rate="1mbit", burst="16kb", priority=name).priority == name
    assert dscp(name) == number


@pytest.mark.parametrize(("fields", "says"), cases(__file__, "refused"))
def test_what_cannot_be_proven_or_no_link_does_is_refused(fields, says):
    assert Shaping(rate="100gbit", netem="delay 60000ms", queue="60s").takes_time
    with pytest.raises(ValidationError, match=says):
        Shaping(**fields)
