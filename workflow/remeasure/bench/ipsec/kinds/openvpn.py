"""OpenVPN between two hosts over UDP: in the kernel (data channel offload), or in a program."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

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
    from remeasure.bench.ipsec.pki import Credentials

INTERFACE = "tun0"
PORT = 1194
_KEYS = "ecdsa256"
_MESSAGE = {True: 4 + 4 + 16, False: 4 + 8 + 16}
"""whether the kernel handles packets -> opcode with peer, packet number and tag of a data packet
(P_DATA_V2) with an AEAD cipher; a program numbers with 8 bytes (OpenVPN 2.7, epoch data keys)"""
CIPHERS = {
    "aes128gcm16": "AES-128-GCM",
    "aes256gcm16": "AES-256-GCM",
    "chacha20poly1305": "CHACHA20-POLY1305",
}
"""name of a suite, as of IPsec -> name of OpenVPN"""
_FOLDER = "/run/openvpn"
_LOG = f"{_FOLDER}/log"
_STOP = f"""\
pkill -x openvpn
{wait_until("! pgrep -x openvpn >/dev/null", fail("OpenVPN does not stop"))}
ip link del {INTERFACE} 2>/dev/null
"""
_UP = wait_until(
    f"grep -q 'Initialization Sequence Completed' {_LOG}",
    f"tail -n 3 {_LOG} >&2; exit 1",
    steps=400,
    pause_s=0.1,
)
_CIPHER = re.compile(r"Data Channel: cipher '([^']+)'")
_PEER = re.compile(r"VERIFY OK: depth=0, .*CN=(\S+)")


class OpenvpnTunnel(InterfaceTunnel):
    """A tunnel of OpenVPN with one peer at each end, which prove themselves by the fingerprints of
    their certificates."""

    kind: ClassVar = "openvpn"
    outer: ClassVar = Outer("OpenVPN", ports=(PORT,), refused=True)
    interface: ClassVar = INTERFACE
    protection_fields: ClassVar = frozenset({"cipher"})
    cost_fields: ClassVar = frozenset({"cipher", "dco"})

    cipher: Literal["aes128gcm16", "aes256gcm16", "chacha20poly1305"]
    """suite, named as of IPsec"""
    dco: bool = True
    """whether the kernel handles packets (data channel offload); if not, the program does"""
    mtu: int = Field(1420, ge=576, le=MTU)
    """largest packet that it takes [bytes]; 1420 as WireGuard, since with OpenVPN's default of 1500
    full packets would leave in two fragments"""

    @property
    def interface_type(self) -> str:
        return "ovpn" if self.dco else "tun"

    @property
    def debian_lacks(self) -> bool:
        return self.dco

    def growth(self, family: Family) -> Growth:
        """A data packet in UDP, without padding."""
        return Growth(family.header + UDP_HEADER + _MESSAGE[self.dco], 1, 0, self.mtu)


class Openvpn(InterfaceControl):
    """A tunnel of OpenVPN between two hosts."""

    settings = OpenvpnTunnel
    tunnel: OpenvpnTunnel
    stopping = _STOP

    @staticmethod
    def make_secrets(tunnel: OpenvpnTunnel, credentials: Credentials) -> None:
        for gateway in tunnel.gateways:
            credentials.end_entity(gateway, _KEYS)

    @staticmethod
    def needs(tunnel: OpenvpnTunnel, topology: Topology) -> Needs:
        tools = {"openvpn": Tool(["openvpn", "--version"], "openvpn", "2.7")}
        return Needs(tools, {"ovpn": "OVPN"} if tunnel.dco else {"tun": "TUN"})

    def configure(self) -> None:
        self.stop()
        self._start(self.tunnel.responder)
        self._start(self.tunnel.initiator)
        at_once(self._finish, self.gateways)
        self._fresh = True

    def _start(self, gateway: str) -> None:
        remote = self.gateways[gateway]
        identity = self._credentials.end_entity(gateway, _KEYS)
        peer = self._credentials.end_entity(self.tunnel.peer(gateway), _KEYS)
        # A kernel without modules has it built in.
        remote.run(f"modprobe -q tun; mkdir -p -m 700 {_FOLDER}; rm -f {_LOG}")
        remote.write(f"{_FOLDER}/key.pem", identity.key)
        remote.write(f"{_FOLDER}/cert.pem", identity.certificate)
        conf = openvpn_conf(self.tunnel, self.topology, gateway, peer.fingerprint)
        remote.write(f"{_FOLDER}/conf", conf)
        remote.run(f"openvpn --config {_FOLDER}/conf --daemon")

    def _finish(self, gateway: str) -> None:
        self.gateways[gateway].run(
            f"{_UP}\nset -e\nip link set {INTERFACE} mtu {self.tunnel.mtu} up\n"
            + self._route_into(gateway),
            timeout=60,
        )

    def restart(self, gateway: str, lasts_s: float) -> None:
        script = f"{_STOP}{self._route_back}sleep {lasts_s:g}"
        self.gateways[gateway].run(script, timeout=lasts_s + 30)
        self._start(gateway)
        self._finish(gateway)

    def own_provers(self, gateway: str) -> Iterable[Prover]:
        question = {f"proof.{gateway}.openvpn.log": f"cat {_LOG}"}
        yield Prover(gateway, question, partial(check_log, self.tunnel, gateway))


def openvpn_conf(tunnel: OpenvpnTunnel, topology: Topology, gateway: str, fingerprint: str) -> str:
    """Configuration of a gateway (openvpn(8)), with keepalive and persistence as in OpenVPN's own
    examples; `fingerprint`: of the peer's certificate."""
    own, peer = (topology.address(g, tunnel.link_of(g)) for g in (gateway, tunnel.peer(gateway)))
    role = "tls-client" if gateway == tunnel.initiator else "tls-server\ndh none"
    return f"""\
dev {INTERFACE}
dev-type tun
proto udp{topology.family.version}
{"float" if tunnel.roams else f"local {own}"}
remote {peer}
port {PORT}
mark {MARK}
{role}
cert {_FOLDER}/cert.pem
key {_FOLDER}/key.pem
peer-fingerprint {fingerprint}
data-ciphers {CIPHERS[tunnel.cipher]}
tun-mtu {tunnel.mtu}
keepalive 10 120
persist-key
persist-tun
log {_LOG}
verb 3
{"" if tunnel.dco else "disable-dco"}
"""


def check_log(tunnel: OpenvpnTunnel, gateway: str, log: str) -> list[Check]:
    """Compare a gateway's log with the cell: cipher, and the name in the peer's certificate."""
    ciphers, peers = ({*pattern.findall(log)} for pattern in (_CIPHER, _PEER))
    return [
        equal("tunnel", f"{gateway}: cipher of OpenVPN", ciphers, {CIPHERS[tunnel.cipher]}),
        equal("tunnel", f"{gateway}: peer of OpenVPN", peers, {tunnel.peer(gateway)}),
    ]
