"""Queueing disciplines as they are set, and as tc reports them."""

import json

import pytest

from remeasure.bench.base.family import IPV4, IPV6, Family
from remeasure.bench.testbed.treatments.disciplines import (
    check_filter,
    check_shaping,
    shaping_setters,
)
from remeasure.bench.testbed.treatments.shaping import Place, Shaping

IMPAIRMENT = "delay 100ms 20ms distribution normal loss random 1%"
WAN = Place("gw1", "wan", "eth1")
BARE = "tc qdisc del dev eth1 root 2>/dev/null; "
SPLIT = "tc qdisc add dev eth1 root handle 1: tbf rate 16tbit burst 2000 limit 2000 && "
BUCKET = Shaping(rate="100mbit", burst="128kb")
WIRE = Shaping(rate="100mbit")
LONG = "gw1.wan: super-packets"


@pytest.fixture
def told(fixture):
    """tc's output for an interface, by name."""
    return lambda name: fixture(f"iproute2-7.2.0/qdisc-{name}.json").decode()


def failed(shaping: Shaping | None, found: str) -> list[str]:
    return [c.name for c in check_shaping("gw1.wan", shaping, found) if not c.passed]


def _passes(dscp: str, family: Family, filters: str) -> bool:
    (check,) = check_filter("gw1.wan", dscp, family, filters)
    return check.passed


def altered(told: str, handle: str, **options: object) -> str:
    """tc's output if a discipline had other options."""
    qdiscs = json.loads(told)
    for qdisc in qdiscs:
        if qdisc["handle"] == handle:
            qdisc["options"] |= options
    return json.dumps(qdiscs)


@pytest.mark.parametrize(
    ("shaping", "commands"),
    [
        (
            Shaping(rate="24mbit", queue="10ms", netem="delay 9ms", netem_limit=7),
            SPLIT + "tc qdisc add dev eth1 parent 1:1 handle 2: netem limit 7 delay 9ms && "
            "tc qdisc add dev eth1 parent 2:1 handle 10: netem limit 20 rate 24mbit",
        ),
        (
            Shaping(rate="100mbit", burst="128kb", queue="10ms", priority="ef"),
            "tc qdisc add dev eth1 root handle 10: tbf rate 100mbit burst 128kb latency 10ms && "
            f"tc qdisc add dev eth1 parent 10:1 handle 20: prio bands 2 priomap{' 1' * 16} && "
            "tc qdisc add dev eth1 parent 20:1 handle 21: bfifo limit 125000 && "
            "tc qdisc add dev eth1 parent 20:2 handle 22: bfifo limit 125000 && "
            "tc filter add dev eth1 parent 20: protocol ip "
            "u32 match u32 0x00b80000 0x00fc0000 at 0 flowid 20:1",
        ),
        (None, "true"),
    ],
    ids=["delayed wire", "priority", "bare"],
)
def test_the_disciplines_of_a_link(shaping, commands):
    (setter,) = shaping_setters({WAN: shaping})
    assert (setter.host, setter.command) == ("gw1", BARE + commands)


def test_what_draws_lots_has_a_seed():
    shaping = Shaping(rate="100mbit", netem="loss 1%")
    (setter,) = shaping_setters({WAN: shaping}, lambda place: len(place))
    assert [line.endswith(" seed 7") for line in setter.command.split(" && ")] == [
        "netem" in line for line in setter.command.split(" && ")
    ]


def test_priority_is_told_by_tc(told, fixture):
    """By a link whose classes were both in use."""
    first = Shaping(rate="10mbit", burst="16kb", priority="ef")
    assert failed(first, told("priority")) == []
    assert failed(first, altered(told("priority"), "21:", limit=99)) == ["gw1.wan: queue (bytes)"]
    assert failed(first.model_copy(update={"priority": None}), told("priority")) == [
        "gw1.wan: disciplines"
    ]
    filters = fixture("iproute2-7.2.0/filter-priority.txt").decode()
    assert _passes("ef", IPV4, filters)
    assert not _passes("cs5", IPV4, filters)
    assert not _passes("ef", IPV4, filters.replace("flowid 20:1", "flowid 20:2"))
    assert not _passes("ef", IPV4, filters.replace("/00fc0000", "/00ff0000"))
    assert not _passes("ef", IPV4, "")


def test_the_filter_of_ipv6_looks_at_its_own_header(fixture):
    of_ipv4, of_ipv6 = (
        fixture(f"iproute2-7.2.0/filter-priority{end}.txt").decode() for end in ("", "-ipv6")
    )
    assert _passes("ef", IPV6, of_ipv6)
    assert not _passes("cs5", IPV6, of_ipv6)
    assert not _passes("ef", IPV4, of_ipv6)
    assert not _passes("ef", IPV6, of_ipv4)


def test_a_token_bucket_is_told_by_tc(told):
    normal, impaired = told("normal"), told("impaired")
    both = BUCKET.model_copy(update={"netem": IMPAIRMENT})
    assert failed(BUCKET, normal) == failed(both, impaired) == []
    assert failed(both, normal) == failed(BUCKET, impaired) == ["gw1.wan: disciplines"]
    assert failed(None, normal) == failed(WIRE, normal) == ["gw1.wan: disciplines"]
    assert failed(Shaping(rate="10mbit", burst="128kb"), normal) == ["gw1.wan: rate (bit/s)"]
    for other in ("delay 50ms 20ms loss 1%", "delay 100ms loss 1%", "delay 100ms 20ms"):
        changed = both.model_copy(update={"netem": other})
        assert failed(changed, impaired) == ["gw1.wan: netem"]
    larger = both.model_copy(update={"netem_limit": 2000})
    assert failed(larger, impaired) == ["gw1.wan: netem"]


def test_a_path_that_lets_every_second_packet_leave_at_once_is_told_by_tc(told):
    paths = Shaping(netem="delay 10ms reorder 100% gap 2", netem_limit=20000)
    assert failed(paths, told("reordering")) == []
    others = [f"delay {of} gap {n}" for of, n in (("2ms reorder 100%", 2), ("10ms reorder 50%", 2))]
    for other in ("delay 10ms", "delay 10ms reorder 100% gap 3", *others):
        changed = paths.model_copy(update={"netem": other})
        assert failed(changed, told("reordering")) == ["gw1.wan: netem"]


def test_a_link_that_takes_time_is_told_by_tc(told):
    wire, delayed = told("wire"), told("delayed-wire")
    slow = Shaping(rate="100mbit", netem="delay 10ms 2ms distribution normal loss random 1%")
    assert failed(WIRE, wire) == failed(slow, delayed) == []
    assert failed(slow, wire) == failed(WIRE, delayed) == ["gw1.wan: disciplines"]
    assert failed(None, wire) == failed(BUCKET, wire) == ["gw1.wan: disciplines"]
    assert failed(Shaping(rate="100mbit", queue="40ms"), wire) == ["gw1.wan: queue (frames)"]
    wrong = altered(wire, "10:", rate={"rate": 6250000})
    assert failed(WIRE, wrong) == ["gw1.wan: rate (bit/s)"]
    wrong = altered(wire, "10:", delay={"delay": 0.005})
    assert failed(WIRE, wrong) == ["gw1.wan: beside the rate"]
    wrong = altered(wire, "1:", rate=12500000)
    assert failed(WIRE, wrong) == ["gw1.wan: splitter (bit/s)"]
    wrong = altered(delayed, "2:", limit=10)
    assert failed(slow, wrong) == ["gw1.wan: netem"]


def test_super_packets_on_a_wire_are_told_by_tc(told):
    """A flow of TCP through only netem: 9360 frames left in 348 packets."""
    (alone,) = json.loads(told("wire-alone"))
    split, wire = json.loads(told("wire"))
    counted = {key: alone[key] for key in ("bytes", "packets", "delayed")}
    found = json.dumps([split, wire | counted])
    assert failed(WIRE, found) == [LONG]
    (check,) = (c for c in check_shaping("gw1.wan", WIRE, found) if c.name == LONG)
    assert check.found == "9012 of 9360 frames"
