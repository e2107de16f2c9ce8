"""swanctl.conf of either end for each way to authenticate and mode, as text in which the page puts
suite, window, key exchange and UDP encapsulation; and wg0.conf, in which it puts the MTU. The lab
configures its gateways with the same functions (swanctl_conf, wg_conf), so daemons have taken it.
"""

from typing import Any, NamedTuple

from remeasure.bench.base.topology import load_topology
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.kinds.interface import MARK
from remeasure.bench.ipsec.kinds.wireguard import WireguardTunnel, wg_conf
from remeasure.bench.ipsec.pki import KeyPair
from remeasure.bench.ipsec.swanctl import swanctl_conf
from remeasure.paper.notebook.my_tunnel import MODES, NAT_T, WORDS, Mode
from remeasure.paper.publish.templates import macros

ENDS: dict[str, str] = WORDS["ends"]
WAYS: dict[str, dict[str, Any]] = WORDS["ways"]
EXCHANGES: dict[str, str] = WORDS["exchanges"]
_SITES = {"gw1": "site1", "gw2": "site2"}
SECRET = "what `openssl rand -base64 32` prints"
"""a comment in the place of the secret: no daemon must take a published secret"""
SUITE, WINDOW, EXCHANGE, ENCAP = "@SUITE@", "@WINDOW@", "@EXCHANGE@", "@ENCAP@"
DSCP, MTU = "@DSCP@", "@MTU@"
"""the place that the page replaces"""
ENCAP_LINE = "    encap = yes\n"
"""the text in the place of ENCAP if ESP goes in UDP; otherwise none"""
DSCP_LINES = """\
        # try first: one class outside ESP,
        # no reordering, and calls wait, too
        # copy_dscp = no
"""
"""the text in the place of DSCP behind a queue with priority; otherwise none. In transport mode
there is no outer header"""
_COMMENTS = macros(__file__, "txt")
WIREGUARD = WireguardTunnel(initiator="gw1", responder="gw2", link="wan", protects=_SITES)


class Chosen(NamedTuple):
    way: str
    """a key of WAYS"""
    end: str
    """a key of ENDS"""
    exchange: str = "x25519"
    """a key of EXCHANGES"""
    suite: str = "aes128gcm16"
    window: int = 4096
    """[packets]"""
    mode: Mode = "tunnel"
    natt: str = "yes"
    """whether ESP goes in UDP, a key of NAT_T"""


def configuration(chosen: Chosen) -> str:
    """swanctl.conf of the gateway."""
    tunnel = IpsecTunnel(
        initiator="gw1",
        responder="gw2",
        link="wan",
        # In transport mode the gateways protect their own packets.
        protects=_SITES if chosen.mode == "tunnel" else {},
        ike=f"aes256-sha256-{chosen.exchange}",
        esp=f"{chosen.suite}-{chosen.exchange}",
        mode=chosen.mode,
        encap=NAT_T[chosen.natt],
        replay_window=chosen.window,
        # The tunnel is set up by the first packet for it.
        on_demand=chosen.end == "gw1",
        **WAYS[chosen.way]["tunnel"],
    )
    end = chosen.end
    has_secret = tunnel.auth == "psk" or (tunnel.auth == "eap-ttls" and end == tunnel.initiator)
    secret = SECRET if has_secret else None
    text = swanctl_conf(tunnel, load_topology("site-to-site"), end, secret)
    head = str(_COMMENTS.swanctl(tunnel, end, has_secret))
    return head + text.replace("secret = ", "# secret = ")


def templates() -> dict[str, dict[str, dict[str, str]]]:
    """Way to authenticate -> end -> mode -> text with SUITE, WINDOW, EXCHANGE and ENCAP in their
    places, and in tunnel mode DSCP."""
    return {
        way: {end: {mode: _template(Chosen(way, end, mode=mode)) for mode in MODES} for end in ENDS}
        for way in WAYS
    }


def wireguard_templates() -> dict[str, dict[str, str]]:
    """End -> choice of NAT_T -> wg0.conf for wg-quick(8) with MTU in its place."""
    return {end: {natt: _wg_quick(end, behind) for natt, behind in NAT_T.items()} for end in ENDS}


def _wg_quick(end: str, behind_nat: bool) -> str:
    """Only the initiator may be behind a NAT: the responder learns its address and port."""
    peer = WIREGUARD.peer(end)
    keys = {end: KeyPair("what `wg genkey` prints", ""), peer: KeyPair("", f"public key of {peer}")}
    text = wg_conf(WIREGUARD, load_topology("site-to-site"), end, keys)
    for own, place in (("P", "# P"), (f"FwMark = {MARK}", f"MTU = {MTU}")):
        text = text.replace(f"\n{own}", f"\n{place}")
    if behind_nat and end == WIREGUARD.initiator:
        text += "PersistentKeepalive = 25\n"  # seconds, as wg(8) proposes
    elif behind_nat:
        text = text[: text.index("Endpoint")]
    return str(_COMMENTS.wireguard(end)) + text


def _template(chosen: Chosen) -> str:
    text = configuration(chosen)
    for own, place in (
        (f" proposals = aes256-sha256-{chosen.exchange}", f" proposals = aes256-sha256-{EXCHANGE}"),
        (
            f"esp_proposals = {chosen.suite}-{chosen.exchange}",
            f"esp_proposals = {SUITE}-{EXCHANGE}",
        ),
        (f"replay_window = {chosen.window}", f"replay_window = {WINDOW}"),
        (ENCAP_LINE, ENCAP),
    ):
        text = text.replace(own, place)
    line = f"        replay_window = {WINDOW}\n"
    return text.replace(line, DSCP + line) if chosen.mode == "tunnel" else text
