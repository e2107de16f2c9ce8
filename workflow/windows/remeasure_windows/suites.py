"""A tunnel as one gateway sees it, which tunnels Windows cannot make, and proposals in the words of
each management tool, and back.

New-NetIPsecQuickModeCryptoProposal and New-NetIPsecMainModeCryptoProposal (module NetSecurity);
`netsh advfirewall consec add rule` and `mainmode add rule` (qmsecmethods, mmsecmethods).
"""

import re
from ipaddress import IPv4Address, IPv4Network, ip_address
from typing import Literal, NamedTuple

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.family import IPV4
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec.algorithms import GROUPS, algorithms, negotiated
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel

Pairs = list[tuple[str, str]]
"""(own address, the other end's address) for each link of a host"""


class GatewayEnds(NamedTuple):
    """The two ends of a tunnel, and the networks behind them, as one gateway sees them."""

    tunnel: IpsecTunnel
    gateway: str
    """role of the gateway whose view this is"""
    address: IPv4Address
    peer_address: IPv4Address
    network: IPv4Network
    peer_network: IPv4Network

    def has(self, local: str, remote: str) -> bool:
        """True if an SA between these addresses belongs to this tunnel. Windows may name the
        gateways or the networks; a prefix or a range is judged by its first address."""
        return _within(local, self.address, self.network) and _within(
            remote, self.peer_address, self.peer_network
        )


def ends_of(tunnel: IpsecTunnel, topology: Topology, gateway: str) -> GatewayEnds:
    """The ends of a tunnel as `gateway` sees them. Raises UserError naming the field of the tunnel
    that Windows cannot set, or that no script sets."""
    fields = {
        "mode": (tunnel.mode, "tunnel"),
        "auth": (tunnel.auth, "psk"),
        "ah": (tunnel.ah, None),
        "per_cpu": (tunnel.per_cpu, "no"),
        "encap": (tunnel.encap, False),
        "on_demand": (tunnel.on_demand, False),
        "inactivity": (tunnel.inactivity, None),
        "lifecycle": (tunnel.lifecycle, type(tunnel.lifecycle)()),
        # Windows has no setting for the replay window and does not show it. A scenario that leaves
        # the window at the default is assumed not to depend on it.
        "replay_window": (tunnel.replay_window, type(tunnel).model_fields["replay_window"].default),
    }
    for field, (found, expected) in fields.items():
        if found != expected:
            raise UserError(f"tunnel.{field}: found {found}, expected {expected} on Windows hosts")
    peer = tunnel.peer(gateway)
    for name in (gateway, peer):
        if name not in tunnel.protects:
            raise UserError(
                f"tunnel.protects: no network behind {name}; expected one on Windows hosts"
            )
    return GatewayEnds(
        tunnel,
        gateway,
        IPv4Address(topology.address(gateway, tunnel.link_of(gateway))),
        IPv4Address(topology.address(peer, tunnel.link_of(peer))),
        IPv4Network(topology.links_of(gateway)[tunnel.protects[gateway]].network),
        IPv4Network(topology.links_of(peer)[tunnel.protects[peer]].network),
    )


def require_ipv4(topology: Topology) -> None:
    """Raises UserError unless the scripts can set the addresses of a topology."""
    if topology.families != [IPV4]:
        raise UserError(
            f"topology {topology.name}: found addresses of {topology.family}, expected IPv4 on "
            "Windows hosts; use another topology"
        )


def _within(text: str, address: IPv4Address, network: IPv4Network) -> bool:
    try:
        found = ip_address(text.split("/")[0].split("-")[0].strip())
    except ValueError:
        return False
    return found == address or found in network


WindowsTool = Literal["netsecurity", "advfirewall"]
TOOL_NAMES = {"netsecurity": "module NetSecurity", "advfirewall": "netsh advfirewall"}


def _words(ours: str, **theirs: str) -> dict[str, dict[str, str]]:
    """Tool -> our name -> the tool's word."""
    return {tool: dict(zip(ours.split(), of.split(), strict=True)) for tool, of in theirs.items()}


_ENCRYPTION = _words(
    "des 3des aes128 aes256 aes128gcm16 aes256gcm16",
    netsecurity="DES DES3 AES128 AES256 AESGCM128 AESGCM256",
    advfirewall="des 3des aes128 aes256 aesgcm128 aesgcm256",
)
# A cipher that authenticates by itself (AEAD) takes the place of the integrity algorithm too.
_INTEGRITY = _words(
    "md5 sha1 sha256 aes128gcm16 aes256gcm16",
    netsecurity="MD5 SHA1 SHA256 AESGMAC128 AESGMAC256",
    advfirewall="md5 sha1 sha256 aesgcm128 aesgcm256",
)
_GROUPS = _words("modp2048", netsecurity="DH14", advfirewall="dhgroup14")


def esp_terms(tool: WindowsTool, proposal: str) -> tuple[str, str]:
    """(integrity, encryption) of an ESP proposal, in the words of a tool. Raises UserError if the
    tool lacks them."""
    encryption, integrity = algorithms(proposal)
    return (
        _term(tool, _INTEGRITY, integrity or encryption, proposal),
        _term(tool, _ENCRYPTION, encryption, proposal),
    )


def ike_terms(tool: WindowsTool, proposal: str) -> tuple[str, str, str]:
    """(encryption, integrity, group) of a main mode proposal, in the words of a tool. Raises
    UserError if the tool lacks them."""
    encryption, integrity = algorithms(proposal)
    group = next((token for token in proposal.split("-") if token in GROUPS), "")
    return (
        _term(tool, _ENCRYPTION, encryption, proposal),
        _term(tool, _INTEGRITY, integrity, proposal),
        _term(tool, _GROUPS, group, proposal),
    )


def _term(tool: WindowsTool, table: dict[str, dict[str, str]], token: str, proposal: str) -> str:
    if token not in table[tool]:
        raise UserError(
            f"proposal {proposal}: {TOOL_NAMES[tool]} does not offer "
            f"{token or 'a proposal without it'}; expected one of "
            f"{', '.join(table[tool])}"
        )
    return table[tool][token]


# The numbers come from IPSEC_AUTH_CONFIG and IPSEC_CIPHER_CONFIG of ipsectypes.h, which, unlike
# IPSEC_AUTH_TYPE and IPSEC_CIPHER_TYPE, distinguish GCM from CBC.
_NUMBERED = "des 3des aes128 aes192 aes256 aes128gcm16 aes192gcm16 aes256gcm16"
_CIPHERS = {str(number): name for number, name in enumerate(_NUMBERED.split(), 1)}
_CIPHERS["des3"] = "3des"
_HASHES = {"0": "md5", "1": "sha1", "2": "sha256", "3": "gcm", "4": "gcm", "5": "gcm"}


def fields_of(integrity: str, encryption: str) -> dict[str, str]:
    """Translate Windows' names of an SA's algorithms to the fields of
    `remeasure.bench.ipsec.algorithms.negotiated`. Names may be numbers or words, in any case:
    'SHA1', 'SHA196', 'HMAC_SHA1_96'; 'DES3', '3DES'; 'AES128'; 'AESGCM128', 'GCMAES128',
    'AES_GCM_128'. Raises ValueError for any other name."""
    digest, cipher = (re.sub(r"[\s_-]", "", text.lower()) for text in (integrity, encryption))
    bits = re.search(r"128|192|256", cipher)
    if "aes" in cipher and bits:
        cipher = f"aes{bits[0]}{'gcm16' if 'gcm' in cipher else ''}"
    cipher = _CIPHERS.get(cipher, cipher)
    if "gcm" in digest or "gmac" in digest:
        digest = "gcm"
    digest = next((known for known in ("sha256", "sha1", "md5") if known in digest), digest)
    digest = _HASHES.get(digest, digest)
    if digest == "gcm" and cipher in ("aes128", "aes192", "aes256"):
        cipher += "gcm16"  # a type, not a configuration
    try:
        return negotiated(cipher if "gcm" in cipher else f"{cipher}-{digest}")
    except ValueError:
        raise ValueError(f"an SA with {encryption} and {integrity}, which are not known") from None
