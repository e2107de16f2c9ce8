"""Proof that nothing that a tunnel protects left its gateways in the clear.

A packet that finds no policy of IPsec is sent as it is. It may well arrive, so a test of loss need
not show it. Each gateway counts what leaves by the link of the tunnel, behind IPsec and before the
link's queues. The counter is a hook of the kernel with two groups of filters (clsact in tc(8),
tc-u32(8)):

    1   packets of ESP, AH and IKE: more than none, or the counter does not count. Between gateways
        that protect their own packets, also what ICMP says of pieces of IKE
    2   packets from what this gateway protects to what its peer protects: none

A packet in pieces is counted once, by its first piece: pieces of IKE have no port by which the
first group could know them.
"""

import re
import shlex
from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

from remeasure.checks import Check, equal
from remeasure.ipsec.policies import protected
from remeasure.ipsec.tunnel import Tunnel
from remeasure.testbed.treatments.treatment import Prover, Question, Setter
from remeasure.testbed.watching.settled import HOOK
from remeasure.topology import Topology

MODULES = {
    "sch_ingress": "NET_SCH_INGRESS",
    "cls_u32": "NET_CLS_U32",
    "act_gact": "NET_ACT_GACT",
}
"""kernel module -> option of the kernel's configuration that builds it"""
_IPSEC_AND_IKE = (
    "ip protocol 50 0xff",
    "ip protocol 51 0xff",
    *(
        f"ip protocol 17 0xff match ip {end} {port} 0xffff"
        for port in (500, 4500)
        for end in ("dport", "sport")
    ),
)
"""matches of tc-u32(8): ESP, AH, and UDP of IKE, which also carries ESP (RFC 3948)"""
_REASSEMBLY = "ip protocol 1 0xff match ip icmp_type 11 0xff match ip icmp_code 1 0xff"
"""match of tc-u32(8): ICMP tells that a piece of a packet never came. Where IP cut a message of
IKE, the kernel says so to the peer before there is an SA"""
_FIRST_PIECE = "u16 0 0x1fff at 6"
"""match of tc-u32(8): the offset of a fragment is 0"""
_FILTER = re.compile(r"filter protocol ip pref ([0-9]+) u32 .* fh \S+::\S+ ")
_SENT = re.compile(r"\s+Sent [0-9]+ bytes ([0-9]+) pkt ")


class Counted(NamedTuple):
    """Packets that left a gateway by the link of the tunnel since the counter was set up."""

    protected: int
    """packets of ESP, AH and IKE"""
    clear: int
    """packets that the tunnel should have protected"""


def clear_text_setters(
    tunnel: Tunnel | None, topology: Topology, interfaces: Mapping[str, str]
) -> list[Setter]:
    """Setters that make each gateway count from 0; none where a cell has no tunnel. `interfaces`:
    gateway -> its interface to the tunnel's link."""
    if tunnel is None:
        return []
    return [
        Setter(gateway, " && ".join(_commands(tunnel, topology, gateway, interface)))
        for gateway, interface in interfaces.items()
    ]


def clear_text_no_more(interfaces: Mapping[str, str]) -> list[Setter]:
    """Setters that remove the counters."""
    return [Setter(gateway, f"{_remove(name)} || true") for gateway, name in interfaces.items()]


def clear_text_provers(
    tunnel: Tunnel | None, interfaces: Mapping[str, str], may_leak: bool = False
) -> Iterable[Prover]:
    """Each gateway sent nothing in the clear; `may_leak`: how much it sent is an observation."""
    for gateway in tunnel.gateways if tunnel else []:
        question = Question(f"proof.{gateway}.clear-text.txt", ask(interfaces[gateway]))
        yield Prover(gateway, [question], partial(check_clear_text, gateway, may_leak))


def ask(interface: str) -> list[str]:
    """The command that prints the counters of a gateway's interface."""
    return ["tc", "-s", "filter", "show", "dev", interface, "egress"]


def read(text: str) -> Counted:
    """Read what the command of `ask` printed. Raises ValueError if filters are missing, or others
    are there."""
    parts = re.split(r"^(?=filter )", text, flags=re.MULTILINE)
    found: dict[str, list[int]] = {"1": [], "2": []}
    for part in parts:
        if (head := _FILTER.match(part)) and (sent := _SENT.search(part)):
            found.setdefault(head[1], []).append(int(sent[1]))
    counts = {group: len(packets) for group, packets in found.items()}
    known = len(_IPSEC_AND_IKE)
    if counts not in ({"1": known, "2": 1}, {"1": known + 1, "2": 1}):
        wanted = f"{known} or {known + 1} in group 1, one in group 2"
        raise ValueError(f"tc filter: found {counts} counters by group, expected {wanted}")
    return Counted(sum(found["1"]), sum(found["2"]))


def check_clear_text(gateway: str, may_leak: bool, text: str) -> list[Check]:
    """Check what a gateway counted."""
    try:
        counted = read(text)
    except ValueError as error:
        return [Check("clear-text", f"{gateway}: counter", False, str(error), "readable counters")]
    name = f"{gateway}: packets of ESP, AH and IKE"
    counts = Check("clear-text", name, counted.protected > 0, str(counted.protected), "more than 0")
    if may_leak:
        return [counts]
    return [counts, equal("clear-text", f"{gateway}: packets in the clear", counted.clear, 0)]


def _commands(tunnel: Tunnel, topology: Topology, gateway: str, interface: str) -> list[str]:
    own, peer = (protected(tunnel, topology, host) for host in (gateway, tunnel.peer(gateway)))
    clear = f"ip src {own} match ip dst {peer} match {_FIRST_PIECE}"
    name = shlex.quote(interface)
    known = _IPSEC_AND_IKE if tunnel.protects else (*_IPSEC_AND_IKE, _REASSEMBLY)
    return [
        f"{{ {_remove(interface)}; tc qdisc add dev {name} {HOOK}; }}",
        *(
            f"tc filter add dev {name} egress protocol ip pref {group} u32 match {match} action ok"
            for group, match in [*((1, one) for one in known), (2, clear)]
        ),
    ]


def _remove(interface: str) -> str:
    return f"tc qdisc del dev {shlex.quote(interface)} {HOOK} 2>/dev/null"
