"""swanctl.conf of either end for each way to authenticate, as text in which the page puts suite and
window. It is written by what configures the gateways of the lab (ipsec.swanctl), so daemons have
taken it."""

from typing import Any

from remeasure.ipsec.swanctl import swanctl_conf
from remeasure.ipsec.tunnel import Tunnel
from remeasure.topology import load_topology

ENDS = {"gw1": "initiator (gw1)", "gw2": "responder (gw2)"}
"""gateway -> how the page names it"""
_SERVER = {"aaa": "aaa"}
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "psk": ("pre-shared key", {"auth": "psk"}),
    "ecdsa": ("ECDSA certificates, chains of 2", {"auth": "ecdsa"}),
    "ecdsa-4": ("ECDSA certificates, chains of 4", {"auth": "ecdsa", "chains": (4, 4)}),
    "rsa": ("RSA certificates, chains of 2", {"auth": "rsa"}),
    "rsa-4": ("RSA certificates, chains of 4", {"auth": "rsa", "chains": (4, 4)}),
    "eap-ttls": ("EAP-TTLS, with a RADIUS server", {"auth": "eap-ttls"} | _SERVER),
    "eap-tls": ("EAP-TLS, chains of 2, with a RADIUS server", {"auth": "eap-tls"} | _SERVER),
    "eap-tls-4": (
        "EAP-TLS, chains of 4, with a RADIUS server",
        {"auth": "eap-tls", "chains": (4, 4)} | _SERVER,
    ),
}
"""way to authenticate -> how the page names it, and fields of the tunnel"""
EXCHANGES = {
    "x25519": "X25519",
    "x25519-ke1_mlkem768": "X25519 and ML-KEM-768 (hybrid)",
}
"""key exchange in proposals -> how the page names it"""
SECRET = "what `openssl rand -base64 32` prints"
"""a comment in the place of the secret: no daemon must take what everybody can read"""
SUITE, WINDOW, EXCHANGE = "@SUITE@", "@WINDOW@", "@EXCHANGE@"
"""what the page replaces"""
_SUITE, _WINDOW, _EXCHANGE = "aes128gcm16", 4096, "x25519"


def configuration(way: str, end: str, exchange: str, suite: str, window: int) -> str:
    """swanctl.conf of the gateway `end`."""
    tunnel = Tunnel(
        initiator="gw1",
        responder="gw2",
        link="wan",
        protects={"gw1": "site1", "gw2": "site2"},
        ike=f"aes256-sha256-{exchange}",
        esp=f"{suite}-{exchange}",
        replay_window=window,
        # The first packet that the tunnel is for sets it up.
        on_demand=end == "gw1",
        **WAYS[way][1],
    )
    has_secret = tunnel.auth == "psk" or (tunnel.auth == "eap-ttls" and end == tunnel.initiator)
    secret = SECRET if has_secret else None
    text = swanctl_conf(tunnel, load_topology("site-to-site"), end, secret)
    return _head(tunnel, end, has_secret) + text.replace("secret = ", "# secret = ")


def templates() -> dict[str, dict[str, str]]:
    """Way to authenticate -> end -> text with SUITE, WINDOW and EXCHANGE in their places."""
    return {way: {end: _template(way, end) for end in ENDS} for way in WAYS}


def _template(way: str, end: str) -> str:
    text = configuration(way, end, _EXCHANGE, _SUITE, _WINDOW)
    for own, place in (
        (f"proposals = aes256-sha256-{_EXCHANGE}", f"proposals = aes256-sha256-{EXCHANGE}"),
        (f"esp_proposals = {_SUITE}-{_EXCHANGE}", f"esp_proposals = {SUITE}-{EXCHANGE}"),
        (f"replay_window = {_WINDOW}", f"replay_window = {WINDOW}"),
    ):
        if text.count(own) != 1:
            raise ValueError(f"{own!r} is not once in the configuration")
        text = text.replace(own, place)
    return text


def _head(tunnel: Tunnel, end: str, has_secret: bool) -> str:
    """Comments on what else the gateway needs."""
    lines = [f"/etc/swanctl/swanctl.conf of {end}; to load it: swanctl --load-all"]
    lines += ["Replace addresses, networks and names."]
    if has_secret:
        lines += ["Put in the secret, and take the # from its line."]
    own = tunnel.certificates.get(end)
    if own:
        lines += [f"Needs x509/{end}.pem (of {own.name}), its key in private/, CAs in x509ca/."]
    elif tunnel.eap:
        lines += ["Needs certificates of CAs in x509ca/."]
    if tunnel.eap and end == tunnel.responder:
        lines += ["strongswan.conf: plugin eap-radius needs address and secret of the server."]
    return "".join(f"# {line}\n" for line in lines)
