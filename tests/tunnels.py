"""The tunnel between two sites that most tests ask about, and checks that fail."""

from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel


def site_tunnel(**changes) -> IpsecTunnel:
    ends = {"initiator": "gw1", "responder": "gw2", "link": "wan"}
    suites = {"ike": "aes256-sha256-modp2048", "esp": "aes256-sha256-modp2048"}
    return IpsecTunnel(
        **{**ends, "protects": {"gw1": "site1", "gw2": "site2"}, **suites, **changes}
    )


def failed(checks) -> list[str]:
    return [str(check) for check in checks if not check.passed]
