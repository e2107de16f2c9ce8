"""The configuration of strongSwan."""

from remeasure.bench.base.topology import load_topology
from remeasure.bench.ipsec.swanctl import swanctl_conf
from remeasure.bench.ipsec.tunnel import Tunnel

TUNNEL = Tunnel(
    initiator="gw1",
    responder="gw2",
    link="wan",
    protects={"gw1": "site1", "gw2": "site2"},
    auth="psk",
    ike="aes256-sha256-modp2048",
    esp="aes256-sha256-modp2048",
)


def test_configuration_names_each_end():
    text = swanctl_conf(TUNNEL, load_topology("site-to-site"), "gw2", "secret")
    for line in (
        "local_addrs = 198.51.100.2",
        "remote_addrs = 198.51.100.1",
        "id = gw1",
        "local_ts = 192.168.20.0/24",
        "replay_window = 32",
        'secret = "secret"',
    ):
        assert line in text
    assert text.count("{") == text.count("}")
