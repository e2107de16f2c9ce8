"""Links as scenarios write them, and as tc reports them."""

import json

import pytest
from pydantic import ValidationError

from remeasure.testbed.netem import Netem, parse_netem, rate_bits, read_netem, size_bytes
from remeasure.testbed.shaping import Place, Shaping, check_shaping, shaping_setters

IMPAIRMENT = "delay 100ms 20ms distribution normal loss random 1%"
WAN = Place("gw1", "wan", "eth1")


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (IMPAIRMENT, Netem(100, 20, "normal", 1)),
        ("delay 9ms", Netem(9)),
        ("delay 100ms 20ms", Netem(100, 20)),
        ("loss 0.5%", Netem(loss_percent=0.5)),
        ("loss random 5%", Netem(loss_percent=5)),
        ("delay 1ms 2ms distribution pareto rate 1gbit", Netem(1, 2, "pareto", 0, 1e9)),
    ],
)
def test_netem_is_read_into_numbers(words, numbers):
    assert parse_netem(words) == numbers
    assert Shaping(netem=words).impairment == numbers


def test_a_link_without_netem_has_no_impairment():
    assert Shaping(rate="100mbit").impairment == Netem()
    assert Shaping(rate="100mbit").rate_bits == 1e8
    assert Shaping().rate_bits is None


@pytest.mark.parametrize("words", ["", "reorder 5%", "loss 1% delay 9ms", "delay 9", "delay 9ms x"])
def test_netem_that_could_not_be_proven_is_refused(words):
    with pytest.raises(ValidationError, match=r"expected arguments of netem in this order"):
        Shaping(netem=words)


@pytest.mark.parametrize("rate", ["100", "fast", "1.5.2mbit", "100mbps", ""])
def test_a_rate_that_could_not_be_proven_is_refused(rate):
    with pytest.raises(ValidationError, match="rate"):
        Shaping(rate=rate)


def test_rates_are_decimal():
    assert [rate_bits(r) for r in ("9bit", "1kbit", "1.5mbit", "1gbit")] == [9, 1e3, 1.5e6, 1e9]


def test_sizes_are_counted_by_1024_as_tc_does(fixture):
    (found,) = {
        qdisc["options"]["burst"]
        for qdisc in json.loads(fixture("iproute2-7.2.0/qdisc-normal.json"))
        if qdisc["kind"] == "tbf"
    }
    assert Shaping(rate="100mbit").burst_bytes == found
    assert [size_bytes(s) for s in ("9", "9b", "32kb", "2k", "1mb")] == [9, 9, 32768, 2048, 2**20]
    with pytest.raises(ValidationError, match="expected a size such as 128kb"):
        Shaping(rate="100mbit", burst="a lot")


def test_shaping_is_told_by_tc(fixture):
    normal, impaired = (
        fixture(f"iproute2-7.2.0/qdisc-{name}.json").decode() for name in ("normal", "impaired")
    )
    rate, both = Shaping(rate="100mbit"), Shaping(rate="100mbit", netem=IMPAIRMENT)

    def failed(shaping: Shaping | None, found: str) -> list[str]:
        return [c.name for c in check_shaping("gw1.wan", shaping, found) if not c.passed]

    assert failed(rate, normal) == failed(both, impaired) == []
    assert failed(both, normal) == failed(rate, impaired) == ["gw1.wan: netem"]
    assert failed(None, normal) == ["gw1.wan: tbf"]
    assert failed(Shaping(rate="10mbit"), normal) == ["gw1.wan: rate (bit/s)"]
    for other in ("delay 50ms 20ms loss 1%", "delay 100ms loss 1%", "delay 100ms 20ms"):
        assert failed(Shaping(rate="100mbit", netem=other), impaired) == ["gw1.wan: netem"]
    larger = both.model_copy(update={"netem_limit": 2000})
    assert failed(larger, impaired) == ["gw1.wan: netem"]


def test_what_tc_reports_has_no_distribution(fixture):
    qdiscs = json.loads(fixture("iproute2-7.2.0/qdisc-impaired.json"))
    (options,) = (qdisc["options"] for qdisc in qdiscs if qdisc["kind"] == "netem")
    assert read_netem(options) == Netem(100, 20, None, 1) == parse_netem(IMPAIRMENT).as_reported


def test_netem_is_the_root_and_the_rate_limit_its_child():
    shaping = Shaping(rate="100mbit", netem="delay 9ms", netem_limit=7)
    (setter,) = shaping_setters({WAN: shaping})
    assert (setter.host, setter.command) == (
        "gw1",
        "tc qdisc del dev eth1 root 2>/dev/null; "
        "tc qdisc add dev eth1 root handle 1: netem limit 7 delay 9ms && "
        "tc qdisc add dev eth1 parent 1:1 handle 10: tbf rate 100mbit burst 128kb latency 50ms",
    )


def test_a_bare_interface_loses_what_it_had():
    for nothing in (None, Shaping()):
        (setter,) = shaping_setters({WAN: nothing})
        assert setter.command == "tc qdisc del dev eth1 root 2>/dev/null; true"
