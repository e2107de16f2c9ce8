"""The tunnel between two sites that most tests here ask about."""

from remeasure.bench.ipsec.tunnel import Tunnel


def site_tunnel(**changes) -> Tunnel:
    ends = {"initiator": "gw1", "responder": "gw2", "link": "wan"}
    suites = {"ike": "aes256-sha256-modp2048", "esp": "aes256-sha256-modp2048"}
    return Tunnel(**{**ends, "protects": {"gw1": "site1", "gw2": "site2"}, **suites, **changes})
