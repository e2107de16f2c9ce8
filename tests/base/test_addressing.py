"""Topologies whose addresses hosts could not have, or that would lead packets astray."""

import pytest
from pydantic import ValidationError

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.family import IPV4, IPV6
from remeasure.bench.base.topology import Topology, load_topology
from remeasure.bench.lab.network import require_apart
from remeasure.bench.testbed.borrowing.namespace_setup import link_lines

SITES = {
    "site": {"client": "192.168.10.1/24", "gw1": "192.168.10.254/24"},
    "wan": {"gw1": "198.51.100.1/24", "gw2": "198.51.100.2/24"},
}


def topology(**links: dict[str, str]) -> Topology:
    return Topology.model_validate({"name": "test", "links": {**SITES, **links}})


def test_sites_are_fine():
    require_apart(topology())
    topology(wan={"gw1": "198.51.100.0/31", "gw2": "198.51.100.1/31"})
    topology(second={"gw1": "203.0.113.1/30", "gw2": "203.0.113.2/30"})


SITE_OF_IPV6 = {"client": "2001:db8:10::1/64", "gw1": "2001:db8:10::fe/64"}


NOT_A_HOSTS = "expected a host's address"


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        ("198.51.100.1/24", "198.51.100.255/24", NOT_A_HOSTS),
        ("198.51.100.1/24", "2001:db8::2/64", "links.wan: gw1 is in .* expected one network"),
        ("198.51.100.1/33", "198.51.100.2/33", "not a valid IPv4 interface"),
        ("239.1.1.1/24", "239.1.1.2/24", NOT_A_HOSTS),
        ("2001:db8:1::1/64", "2001:db8:1::1/64", "both have 2001:db8:1::1"),
        ("2001:db8:1::/64", "2001:db8:1::1/64", NOT_A_HOSTS),
        ("::5/120", "::6/120", NOT_A_HOSTS),
        ("fe80::1/64", "fe80::2/64", NOT_A_HOSTS),
        ("2001:db8:10::5/48", "2001:db8:10::6/48", "overlaps 2001:db8:10::/64 of link site"),
    ],
)
def test_no_hosts_address(first, second, says):
    with pytest.raises(ValidationError, match=says):
        topology(site=SITE_OF_IPV6, wan={"gw1": first, "gw2": second})


def test_sites_of_ipv6_are_fine():
    sites = load_topology("site-to-site-v6")
    require_apart(sites)
    assert sites.family == IPV6 and load_topology("site-to-site").family == IPV4
    wan = {"gw1": "2001:db8:1::/127", "gw2": "2001:db8:1::1/127"}  # RFC 6164
    Topology.model_validate({"name": "test", "links": {"wan": wan}})


def test_a_next_hop_of_ipv6_leads_to_ipv4():
    names = {"site1": "eth0", "wan": "eth1"}
    lines = link_lines(load_topology("site-to-site-4in6"), "gw1", names)
    assert "ip -4 route add 192.168.20.0/24 via inet6 2001:db8:1::2" in lines


def test_names_of_interfaces_that_are_there_already():
    ends = {"gw1": "203.0.113.1/24", "gw2": "203.0.113.2/24"}
    for name in ("control", "eth0", "vec1", "their2"):
        with pytest.raises(UserError, match=f"links.{name}: a lab has interfaces of that name"):
            require_apart(topology(**{name: ends}))
