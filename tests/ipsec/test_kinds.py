"""Kinds of tunnels besides IPsec: proofs on real answers of hosts, sizes as measured, and wrong
settings. Trials with them are in tests/measure."""

import pytest
from cases import cases
from tunnels import failed

from remeasure.bench.base.config import validate
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.family import IPV4, IPV6
from remeasure.bench.base.topology import load_topology
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.ipsec.kinds import KINDS, read_tunnel
from remeasure.bench.ipsec.kinds.openvpn import check_log
from remeasure.bench.ipsec.kinds.wireguard import check_wg
from remeasure.bench.ipsec.overhead import largest_packet, packet_on_wire
from remeasure.bench.ipsec.tunnel import Tunnel

TOPOLOGY = load_topology("host-to-host")
ENDS = {"initiator": "left", "responder": "right", "link": "wire"}
PROBES = {
    "echo": {"probe": "ping", "source": "left", "target": "right", "count": 1, "interval": 0.1}
}


def tunnel(**fields) -> Tunnel:
    made = read_tunnel(ENDS | fields)
    assert isinstance(made, Tunnel)
    return made


@pytest.mark.parametrize(("fields", "header", "sizes", "largest"), cases(__file__, "sizes"))
def test_sizes(fields, header, sizes, largest):
    made = tunnel(**fields)
    assert {size: packet_on_wire(made, int(size)) - header for size in sizes} == sizes
    assert largest_packet(made) == largest
    assert packet_on_wire(made, 84, IPV6) == packet_on_wire(made, 84, IPV4) + 20


def test_proof_of_wireguard(fixture):
    dump = fixture("wireguard-1.0.20260223/dump.txt").decode()
    made = tunnel(kind="wireguard")
    assert failed(check_wg(made, TOPOLOGY, "left", dump)) == []
    assert failed(check_wg(made, TOPOLOGY, "right", dump)) == [
        "right: peers of WireGuard: found [('192.0.2.2:51820', '192.0.2.2/32')], expected "
        "[('192.0.2.1:51820', '192.0.2.1/32')]"
    ]
    *before, _, _, keepalive = dump.split("\t")
    silent = "\t".join([*before, "0", "0", keepalive])
    assert failed(check_wg(made, TOPOLOGY, "left", silent)) == [
        "left: rx of WireGuard: found 0, expected more than 0",
        "left: tx of WireGuard: found 0, expected more than 0",
    ]


def test_proof_of_openvpn(fixture):
    log = fixture("openvpn-2.7.8/dco.log").decode()
    made = tunnel(kind="openvpn", cipher="aes128gcm16")
    assert failed(check_log(made, "left", log)) == []
    other = tunnel(kind="openvpn", cipher="chacha20poly1305")
    assert failed(check_log(other, "right", log)) == [
        "right: cipher of OpenVPN: found {'AES-128-GCM'}, expected {'CHACHA20-POLY1305'}",
        "right: peer of OpenVPN: found {'right'}, expected {'left'}",
    ]


@pytest.mark.parametrize(("fields", "file", "wrong"), cases(__file__, "proof_of_the_interface"))
def test_proof_of_the_interface(fixture, fields, file, wrong):
    made = tunnel(**fields)
    text = fixture(f"iproute2-7.2.0/{file}-interface.txt").decode()
    kind = KINDS[made.kind](made, TOPOLOGY, dict.fromkeys(made.gateways), None)  # no host is asked
    first = next(iter(kind.provers(True, False, None)))
    host = first.host
    assert failed(first.check(text)) == [f"{host}: {line}" for line in wrong]


@pytest.mark.parametrize(("fields", "complaint"), cases(__file__, "wrong_settings"))
def test_wrong_settings(fields, complaint):
    with pytest.raises(UserError) as refused:
        validate(Settings, {"tunnel": ENDS | fields, "probes": PROBES}, "x")
    assert complaint in str(refused.value)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            {"tunnel": ENDS | {"kind": "wireguard", "mtu": 1441}},
            "tunnel.mtu: found 1441, expected at most 1440; found topology host-to-host, whose "
            "addresses are of IPv4: use another topology or tunnel",
        ),
        (
            {
                "tunnel": ENDS | {"kind": "wireguard"},
                "probes": {"set_up": {"probe": "cpu_cost", "count": 1}},
            },
            "probes.set_up: needs a tunnel of kind ipsec, and the cell has one of kind wireguard",
        ),
    ],
)
def test_cells_that_a_kind_cannot_have(change, complaint):
    document = {
        "study": "ours",
        "title": "x",
        "topology": "host-to-host",
        "blocks": 1,
        "factors": {"auth": {"one": {}}},
        "probes": PROBES,
    }
    with pytest.raises(UserError) as refused:
        Scenario("x", document | change, "quick", "file")
    assert str(refused.value) == f"file: cell auth=one: {complaint}"
