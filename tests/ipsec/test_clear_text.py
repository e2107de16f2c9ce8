"""Clear text: a gateway without any passes; counters that are missing, or do not count, fail."""

import re

import pytest
from tunnels import site_tunnel

from remeasure.bench.base.family import BOTH_IPV4, BOTH_IPV6
from remeasure.bench.base.topology import load_topology
from remeasure.bench.ipsec.clear_text import (
    Counted,
    ask,
    check_clear_text,
    clear_text_setters,
    read,
)

LISTED = "iproute2-7.2.0/filter-clear-text.txt"
"""of gw1: 21,865 packets of ESP, 4 IKE datagrams to port 500 and 11 to port 4500"""


@pytest.fixture
def listed(fixture) -> str:
    return fixture(LISTED).decode()


def with_clear_text(listed: str, packets: int) -> str:
    """The listing with this count in the last counter."""
    head, sent, tail = listed.rpartition("Sent 0 bytes 0 pkt")
    assert sent
    return f"{head}Sent {84 * packets} bytes {packets} pkt{tail}"


def test_counters_are_read_by_group(listed):
    assert read(listed) == Counted(protected=21865 + 4 + 11, clear=0)
    assert read(with_clear_text(listed, 7)).clear == 7


def test_a_packet_in_the_clear_fails_unless_the_probe_may_leak(listed):
    assert all(check.passed for check in check_clear_text("gw1", False, listed))
    leaked = check_clear_text("gw1", False, with_clear_text(listed, 1))
    assert [str(check) for check in leaked if not check.passed] == [
        "gw1: packets in the clear: found 1, expected 0"
    ]
    (check,) = check_clear_text("gw1", True, with_clear_text(listed, 1))
    assert check.name == "gw1: packets of ESP, AH and IKE" and check.passed


def test_a_filter_drops_and_its_cell_has_it(listed):
    """The counter drops packets that it counts: nothing leaked."""
    head, last = with_clear_text(listed, 7).rsplit("gact action pass", 1)
    dropping = f"{head}gact action drop{last}"
    assert read(dropping) == Counted(protected=21880, clear=0, filtered=True)
    for text, wanted in ((dropping, True), (dropping, False), (listed, True)):
        *_, check = check_clear_text("gw1", True, text, drop=wanted)
        assert check.passed == (text == dropping and wanted)


def test_counters_that_count_nothing_or_are_missing_fail(listed):
    silent = re.sub(r"Sent [0-9]+ bytes [0-9]+ pkt", "Sent 0 bytes 0 pkt", listed)
    assert [check.passed for check in check_clear_text("gw1", False, silent)] == [False, True]
    for listing in ("", "Error: Specified qdisc not found.\n"):
        (check,) = check_clear_text("gw1", False, listing)
        assert "found {'1': 0, '2': 0} counters by group" in check.found


def test_a_counter_that_was_removed_or_added_fails(listed):
    parts = re.split(r"^(?=filter )", listed, flags=re.MULTILINE)
    for changed in ("".join(parts[:-1]), listed + parts[-1], "".join(parts[:3] + parts[4:])):
        with pytest.raises(ValueError, match="counters by group"):
            read(changed)


HOSTS = {"initiator": "left", "responder": "right", "link": "wire", "protects": {}}


@pytest.mark.parametrize(
    ("topology", "changes", "clear"),
    [
        ("site-to-site", {}, "ip src 192.168.10.0/24 match ip dst 192.168.20.0/24"),
        ("host-to-host", HOSTS, "ip src 192.0.2.1/32 match ip dst 192.0.2.2/32"),
    ],
)
def test_what_the_tunnel_protects_is_counted(topology, changes, clear):
    tunnel = site_tunnel(**changes)
    interfaces = dict.fromkeys(tunnel.gateways, "eth1")
    setters = clear_text_setters(tunnel, load_topology(topology), interfaces)
    assert [setter.host for setter in setters] == tunnel.gateways
    assert f"pref 2 u32 match {clear} match u16 0 0x1fff at 6 action ok" in setters[0].command
    assert ask("eth1")[-2:] == ["eth1", "egress"]
    # Only gateways that protect their own packets may report lost pieces of IKE.
    assert ("match ip icmp_type 11" in setters[0].command) == (tunnel.protects == {})
    assert clear_text_setters(None, load_topology(topology), {}) == []


def test_counters_of_ipv6(fixture):
    """The fixture is from gw1: 4,464 packets of ESP, 10 IKE datagrams, nothing in the clear."""
    listed = fixture("iproute2-7.2.0/filter-clear-text-ipv6.txt").decode()
    assert read(listed, BOTH_IPV6) == Counted(protected=4464 + 10, clear=0)
    assert read(with_clear_text(listed, 7), BOTH_IPV6).clear == 7
    parts = re.split(r"^(?=filter )", listed, flags=re.MULTILINE)
    (first,) = (n for n, part in enumerate(parts) if " pref 2 " in part and "Sent" in part)
    parts[first] = parts[first].replace("Sent 0 bytes 0 pkt", "Sent 300 bytes 2 pkt")
    assert read("".join(parts), BOTH_IPV6).clear == 2


def test_counters_are_of_the_family_of_the_network(listed, fixture):
    of_ipv6 = fixture("iproute2-7.2.0/filter-clear-text-ipv6.txt").decode()
    for text, families in ((listed, BOTH_IPV6), (of_ipv6, BOTH_IPV4)):
        (check,) = check_clear_text("gw1", False, text, families)
        assert not check.passed
