"""WireGuard: the kernel's interface, set up by wg(8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.family import Family
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec.kinds.interface import MARK, InterfaceControl, InterfaceTunnel
from remeasure.bench.ipsec.overhead import MTU
from remeasure.bench.ipsec.tunnel import UDP_HEADER, Growth, Outer
from remeasure.bench.testbed.remote import at_once
from remeasure.bench.testbed.tools import Tool, fail, wait_until
from remeasure.bench.testbed.treatments.treatment import Prover
from remeasure.bench.testbed.watching.readiness import Needs

if TYPE_CHECKING:
    from remeasure.bench.ipsec.pki import Credentials, KeyPair

INTERFACE = "wg0"
PORT = 51820
_MESSAGE = 16 + 16
"""header and tag of a data message (https://www.wireguard.com/papers/wireguard.pdf, 5.4.6)"""
_PADDING = 16
WINDOW = 8192 - 64 + 1
"""window against replay, which no setting changes [packets] (64-bit Linux,
drivers/net/wireguard/messages.h: a packet passes that is COUNTER_WINDOW_SIZE behind)"""
_CONF = "/run/wg0.conf"
_STOP = f"ip link del {INTERFACE} 2>/dev/null\n"
_HANDSHAKE = wait_until(
    f"wg show {INTERFACE} latest-handshakes | grep -qv '\\s0$'",
    fail("no handshake of WireGuard succeeds"),
    steps=400,
    pause_s=0.1,
)


class WireguardTunnel(InterfaceTunnel):
    """A tunnel of WireGuard with one peer at each end; it has one suite."""

    kind: ClassVar = "wireguard"
    outer: ClassVar = Outer("WireGuard", ports=(PORT,))
    interface: ClassVar = INTERFACE

    mtu: int = Field(1420, ge=576, le=MTU)
    """largest packet that it takes [bytes]; 1420, the default of wg-quick(8), fits also if the
    outer packets are of IPv6"""

    @property
    def interface_type(self) -> str:
        return "wireguard"

    @property
    def debian_lacks(self) -> bool:
        return True

    def growth(self, family: Family) -> Growth:
        """A data message in UDP; its content is padded to 16 bytes, though not beyond the MTU."""
        return Growth(family.header + UDP_HEADER + _MESSAGE, _PADDING, 0, self.mtu)


class Wireguard(InterfaceControl):
    """A tunnel of WireGuard between two hosts."""

    settings = WireguardTunnel
    tunnel: WireguardTunnel
    stopping = _STOP

    @staticmethod
    def make_secrets(tunnel: WireguardTunnel, credentials: Credentials) -> None:
        for gateway in tunnel.gateways:
            _key_pair(gateway, credentials)

    @staticmethod
    def needs(tunnel: WireguardTunnel, topology: Topology) -> Needs:
        tools = {"wg": Tool(["wg", "--version"], "wireguard-tools")}
        return Needs(tools, {"wireguard": "WIREGUARD"})

    @property
    def _keys(self) -> dict[str, KeyPair]:
        return {name: _key_pair(name, self._credentials) for name in self.gateways}

    def configure(self) -> None:
        at_once(self._configure, self.gateways)
        self._fresh = True

    def _configure(self, gateway: str, lasts_s: float = 0) -> None:
        remote = self.gateways[gateway]
        remote.write(_CONF, wg_conf(self.tunnel, self.topology, gateway, self._keys))
        remote.run(
            f"{_STOP}{self._route_back}sleep {lasts_s:g}\n"
            f"set -e\nip link add {INTERFACE} type wireguard\nwg setconf {INTERFACE} {_CONF}\n"
            f"ip link set {INTERFACE} mtu {self.tunnel.mtu} up\n{self._route_into(gateway)}",
            timeout=lasts_s + 30,
        )

    def bring_up(self) -> None:
        super().bring_up()
        peer = self._keys[self.tunnel.responder].public
        # A keepalive, which its first second asks for, needs a session.
        alive = f"wg set {INTERFACE} peer {peer} persistent-keepalive"
        self.initiator.run(f"{alive} 1\n{_HANDSHAKE}\n{alive} 0", timeout=60)

    def restart(self, gateway: str, lasts_s: float) -> None:
        self._configure(gateway, lasts_s)

    def own_provers(self, gateway: str) -> Iterable[Prover]:
        # The first field of the first line is the private key.
        ask = f"wg show {INTERFACE} dump | sed '1s/^[^\\t]*\\t//'"
        question = {f"proof.{gateway}.wg.txt": ask}
        yield Prover(gateway, question, partial(check_wg, self.tunnel, self.topology, gateway))


def _key_pair(gateway: str, credentials: Credentials) -> KeyPair:
    return credentials.key_pair(f"wireguard-{gateway}")


def wg_conf(
    tunnel: WireguardTunnel, topology: Topology, gateway: str, keys: Mapping[str, KeyPair]
) -> str:
    """Configuration of a gateway, for `wg setconf`."""
    peer = tunnel.peer(gateway)
    return f"""\
[Interface]
PrivateKey = {keys[gateway].private}
ListenPort = {PORT}
FwMark = {MARK}
[Peer]
PublicKey = {keys[peer].public}
AllowedIPs = {tunnel.protected(topology, peer)}
Endpoint = {_endpoint(tunnel, topology, peer)}
"""


def _endpoint(tunnel: WireguardTunnel, topology: Topology, gateway: str) -> str:
    address = str(topology.address(gateway, tunnel.link_of(gateway)))
    return f"[{address}]:{PORT}" if ":" in address else f"{address}:{PORT}"


def check_wg(tunnel: WireguardTunnel, topology: Topology, gateway: str, dump: str) -> list[Check]:
    """Compare the output of `wg show <interface> dump`, without the private key, with the cell:
    one peer, at its address, with its networks, and a handshake."""
    (_, *_), *peers = (line.split("\t") for line in dump.splitlines())
    peer = tunnel.peer(gateway)
    listed = [(endpoint, allowed) for _, _, endpoint, allowed, *_ in peers]
    wanted = [(_endpoint(tunnel, topology, peer), tunnel.protected(topology, peer))]
    checks = [equal("tunnel", f"{gateway}: peers of WireGuard", listed, wanted)]
    for _, _, _, _, handshake, received, sent, _ in peers:
        for name, value in {"handshake": handshake, "rx": received, "tx": sent}.items():
            what = f"{gateway}: {name} of WireGuard"
            checks.append(Check("tunnel", what, int(value) > 0, value, "more than 0"))
    return checks
