"""Proof of the IPsec policies of a tunnel in the kernels of both gateways. An SA without a policy
(RFC 4301, section 4.4.1) carries nothing: its packets leave in the clear."""

import re
from collections.abc import Iterable
from functools import partial

from remeasure.bench.base.checks import Check
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel, addresses
from remeasure.bench.testbed.treatments.treatment import Prover, Question

# Policies of sockets let IKE itself pass.
_ASK = ["ip", "xfrm", "policy", "list", "nosock"]
_SELECTOR = re.compile(r"src (\S+) dst (\S+).*\n\s+dir (\w+)")
_LISTED = {"iptfs": "5"}
"""mode -> its name in the listing, where iproute2 (7.2) knows only its number"""
_TEMPLATE = re.compile(r"^\s+proto (\w+) .*mode (\w+)", re.MULTILINE)


def policy_provers(tunnel: IpsecTunnel, topology: Topology) -> Iterable[Prover]:
    """Each gateway has the policies of the cell's tunnel."""
    for gateway in tunnel.gateways:
        question = Question(f"proof.{gateway}.xfrm-policy.txt", _ASK)
        yield Prover(gateway, [question], partial(check_policies, tunnel, topology, gateway))


def check_policies(tunnel: IpsecTunnel, topology: Topology, gateway: str, text: str) -> list[Check]:
    """Compare the policies that a gateway lists with the tunnel's, in each direction; of many only
    the differing ones are printed."""
    found, wanted = set(_policies_in(text)), _wanted(tunnel, topology, gateway)
    told = (found, wanted) if tunnel.count is None else (found - wanted, wanted - found)
    listed = ["; ".join(sorted(policies)) or "none" for policies in told]
    return [Check("policy", f"{gateway}: policies", found == wanted, *listed)]


def _policies_in(text: str) -> Iterable[str]:
    """Each policy in the form of `_written`. Raises ValueError if one cannot be read."""
    for part in filter(None, re.split(r"^(?=src )", text, flags=re.MULTILINE)):
        selector, template = _SELECTOR.match(part), _TEMPLATE.search(part)
        if not selector:
            raise ValueError(f"{part[:60]!r} is not a policy of ip xfrm policy")
        source, destination, direction = selector.groups()
        yield _written(direction, source, destination, *(template.groups() if template else ()))


def _wanted(tunnel: IpsecTunnel, topology: Topology, gateway: str) -> set[str]:
    pairs = [tuple(tunnel.protected(topology, host) for host in tunnel.gateways)]
    if tunnel.count is not None:
        pairs = [addresses(number) for number in range(tunnel.count)]
    wanted = set[str]()
    for pair in pairs:
        own, peer = pair if gateway == tunnel.initiator else reversed(pair)
        ways = {"in": (peer, own), "out": (own, peer)}
        if tunnel.mode != "transport":
            ways["fwd"] = peer, own
        how = tunnel.protocol.lower(), _LISTED.get(tunnel.mode, tunnel.mode)
        wanted |= {_written(direction, *ends, *how) for direction, ends in ways.items()}
    return wanted


def _written(direction: str, source: str, destination: str, *how: str) -> str:
    """`how`: protocol and mode; nothing if packets go by in clear or are dropped."""
    return f"{direction} {source} to {destination} {' '.join(how) or 'in clear'}"
