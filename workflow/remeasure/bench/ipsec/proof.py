"""Proof of treatment: properties of a trial's tunnel that must be shown before its numbers count.

Each check compares a host's answer with the cell's setting. With an SA for each processor (RFC
9611) the number of SAs is never checked: two peers that ask at the same moment make duplicates, and
one more SA carries packets of a processor that has none yet.

Of the lifecycle of a tunnel, `swanctl --list-conns` shows an end's actions when the peer closes or
is silent, and `--list-pols` its policies without an SA. Neither shows `keyingtries`; strongSwan
refuses a connection with an option that it does not know. It ignores unknown options of `charon`,
so its libraries are searched for their names.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec import sas
from remeasure.bench.ipsec.algorithms import in_kernel, negotiated
from remeasure.bench.ipsec.ipsec_tunnel import SUPPLICANT, IpsecTunnel, addresses
from remeasure.bench.ipsec.lifecycle import Lifecycle
from remeasure.bench.ipsec.swanctl import CONNECTION, GUARD
from remeasure.bench.testbed.treatments.treatment import Prover

_LIST_SAS = (
    "pgrep -x charon-systemd >/dev/null || { echo 'charon does not run any more' >&2; exit 1; }; "
    "swanctl --list-sas --raw"
)
_XFRM_STATE = "ip -s xfrm state list nokeys"
_NO_IPSEC = "ip xfrm state list nokeys; ip xfrm policy list"
"""must print nothing on a host without IPsec"""


def tunnel_provers(tunnel: IpsecTunnel, used: bool, cpus: int | None = None) -> Iterable[Prover]:
    """Each gateway has the SAs of the cell; if the tunnel was `used`, they carried packets. `cpus`:
    processors of each host, if each has an SA of its own."""
    check = partial(check_sas, tunnel, used=used, cpus=cpus)
    for gateway in tunnel.gateways:
        questions = {
            f"proof.{gateway}.list-sas.txt": _LIST_SAS,
            f"proof.{gateway}.xfrm-state.txt": _XFRM_STATE,
        }
        yield Prover(gateway, questions, partial(check, gateway))


def no_ipsec_provers(hosts: Iterable[str]) -> Iterable[Prover]:
    """No host has IPsec, in a cell without a tunnel or with one of another kind."""
    for host in hosts:
        yield Prover(host, {f"proof.{host}.no-ipsec.txt": _NO_IPSEC}, partial(check_no_ipsec, host))


class _Listed(NamedTuple):
    """The SAs of a gateway."""

    ike: list[sas.Vici]
    """established"""
    children: list[sas.Vici]
    """that protect traffic"""
    kernel: list[sas.KernelSa]


def check_sas(
    tunnel: IpsecTunnel,
    gateway: str,
    list_sas: str,
    xfrm_state: str,
    used: bool = True,
    cpus: int | None = None,
) -> list[Check]:
    """Suites, modes and replay windows of all SAs of one gateway, from the listings of its daemon
    and its kernel; then their number or, if each processor has an SA, its owner. Raises ValueError
    for an unreadable listing."""
    listed = _Listed(*sas.in_use(list_sas), sas.read_xfrm_state(xfrm_state))
    checks = _suites(tunnel, gateway, listed)
    if tunnel.per_cpu != "no":
        return checks + _per_cpu(gateway, listed.kernel, cpus or 1)
    checks += _numbers(tunnel, gateway, listed)
    encaps = sorted({child.get("encap") for child in listed.children}, key=str)
    in_udp, encap = sorted({sa.in_udp for sa in listed.kernel}), "yes" if tunnel.encap else None
    checks.append(equal("child-sa", f"{gateway}: CHILD_SA encap", encaps, [encap]))
    checks.append(equal("child-sa", f"{gateway}: kernel's SAs in UDP", in_udp, [tunnel.encap]))
    for way in ("in", "out") if used else ():
        packets = sum(sa.packets for sa in listed.kernel if sa.direction == way)
        name = f"{gateway}: packets {way}"
        checks.append(Check("sa-packets", name, packets > 0, str(packets), "more than 0"))
    return checks


def _suites(tunnel: IpsecTunnel, gateway: str, listed: _Listed) -> list[Check]:

    def told(values: Iterable[object]) -> str:
        return ", ".join(sorted({str(value) for value in values}))

    def fields(name: str, found: list[sas.Vici], wanted: Mapping[str, object]) -> Iterator[Check]:
        for key, value in wanted.items():
            kind = "eap-identity" if key == "remote-eap-id" else name.lower().replace("_", "-")
            values = told(sa.get(key) for sa in found)
            yield equal(kind, f"{gateway}: {name} {key}", values, str(value))

    ike = {"version": "2", **negotiated(tunnel.ike)}
    if gateway == tunnel.responder:
        ike["remote-eap-id"] = str(SUPPLICANT if tunnel.eap else None)
    windows = told(sa.replay_window for sa in listed.kernel if sa.direction == "in")
    kinds = sorted({sa.algorithms for sa in listed.kernel})
    name = f"{gateway}: algorithms of the kernel's SAs"
    return [
        *fields("IKE_SA", listed.ike, ike),
        *fields("CHILD_SA", listed.children, wanted_child(tunnel)),
        equal("child-sa", name, kinds, [tuple(in_kernel(tunnel.proposal))]),
        equal("replay-window", f"{gateway}: replay window", windows, str(tunnel.replay_window)),
    ]


def _numbers(tunnel: IpsecTunnel, gateway: str, listed: _Listed) -> list[Check]:
    """The number of SAs. While a rekeying waits for its answer, the kernel has one more than the
    daemon."""
    count, ways = tunnel.count or 1, ("in", "out")
    kernel = {(sa.direction, int(sa.spi, 16)) for sa in listed.kernel}
    daemon = {(way, int(one[f"spi-{way}"], 16)) for one in listed.children for way in ways}
    lacks = sorted(daemon - kernel)
    checks = [
        equal("ike-sa", f"{gateway}: IKE_SAs established", len(listed.ike), count),
        equal("child-sa", f"{gateway}: CHILD_SAs installed", len(listed.children), count),
        equal("child-sa", f"{gateway}: SAs of the daemon that the kernel lacks", lacks, []),
    ]
    if tunnel.count is not None:
        each, own = (
            f"{gateway}: CHILD_SAs of each IKE_SA",
            {len(sas.child_sas(sa)) for sa in listed.ike},
        )
        checks.append(equal("child-sa", each, sorted(own), [1]))
        checks.append(equal("child-sa", f"{gateway}: SAs of the kernel", len(kernel), 2 * count))
    return checks


def _per_cpu(gateway: str, kernel: list[sas.KernelSa], cpus: int) -> list[Check]:
    """Each processor has an outbound SA, and two of them at least, if there are two, carried
    packets."""
    packets = [
        (sa.cpu, sa.packets) for sa in kernel if sa.direction == "out" and sa.cpu is not None
    ]
    have, used = {cpu for cpu, _ in packets}, sorted({cpu for cpu, sent in packets if sent})
    least, name = min(2, cpus), f"{gateway}: processors whose SA carried packets"
    return [
        equal("per-cpu", f"{gateway}: processors with an SA", sorted(have), list(range(cpus))),
        Check("per-cpu", name, len(used) >= least, str(used), f"at least {least}"),
    ]


def wanted_child(tunnel: IpsecTunnel) -> dict[str, str]:
    """Required fields of a CHILD_SA, without the Diffie-Hellman group: the first CHILD_SA is
    created in IKE_AUTH without a key exchange of its own (RFC 7296, section 1.2)."""
    wanted = {"mode": tunnel.mode.upper(), "protocol": tunnel.protocol}
    return wanted | {k: v for k, v in negotiated(tunnel.proposal).items() if k != "dh-group"}


def check_no_ipsec(host: str, xfrm: str) -> list[Check]:
    """A host has neither an SA nor a policy that could protect anything."""
    return [equal("no-ipsec", f"{host}: SAs and policies", xfrm.strip() or "none", "none")]


# Policies of sockets let IKE itself pass.
_ASK_POLICIES = "ip xfrm policy list nosock"
_SELECTOR = re.compile(r"src (\S+) dst (\S+).*\n\s+dir (\w+)")
_LISTED = {"iptfs": "5"}
"""mode -> its name in the listing, where iproute2 (7.2) knows only its number"""
_TEMPLATE = re.compile(r"^\s+proto (\w+) .*mode (\w+)", re.MULTILINE)


def policy_provers(tunnel: IpsecTunnel, topology: Topology) -> Iterable[Prover]:
    """Each gateway's kernel has the policies of the cell's tunnel. An SA without one (RFC 4301,
    section 4.4.1) carries nothing: its packets leave in the clear."""
    for gateway in tunnel.gateways:
        question = {f"proof.{gateway}.xfrm-policy.txt": _ASK_POLICIES}
        yield Prover(gateway, question, partial(check_policies, tunnel, topology, gateway))


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
    how = tunnel.protocol.lower(), _LISTED.get(tunnel.mode, tunnel.mode)
    wanted = set[str]()
    for pair in pairs:
        own, peer = pair if gateway == tunnel.initiator else reversed(pair)
        wanted |= {_written("out", own, peer, *how), _written("in", peer, own, *how)}
        if tunnel.mode != "transport":
            wanted.add(_written("fwd", peer, own, *how))
    return wanted


def _written(direction: str, source: str, destination: str, *how: str) -> str:
    """`how`: protocol and mode; nothing if packets go by in clear or are dropped."""
    return f"{direction} {source} to {destination} {' '.join(how) or 'in clear'}"


_LIBRARIES = "/usr/lib/ipsec /usr/lib64/ipsec /usr/lib/strongswan /usr/libexec/ipsec"
"""folders in which distributions keep strongSwan's libraries"""
_SHOWN = {"clear": "none", "restart": "start"}
"""dpd_action -> how strongSwan shows it, where it shows another word"""


def lifecycle_provers(tunnel: IpsecTunnel) -> Iterable[Prover]:
    """Each gateway's daemon has the lifecycle of the cell, if the cell sets one."""
    for gateway in tunnel.gateways if tunnel.lifecycle != Lifecycle() else ():
        questions = {
            f"proof.{gateway}.list-conns.txt": "swanctl --list-conns --raw",
            f"proof.{gateway}.list-pols.txt": "swanctl --list-pols --raw",
            f"proof.{gateway}.charon-options.txt": ask_known(tunnel.lifecycle),
        }
        yield Prover(gateway, questions, partial(check_lifecycle, tunnel, gateway))


def ask_known(lifecycle: Lifecycle) -> str:
    """A line for a shell that prints for each option of the daemon whether a library of strongSwan
    contains its name."""
    lines = (
        f"if grep -rqsF {name} {_LIBRARIES}; then echo {name} known; else echo {name} unknown; fi"
        for name in map(shlex.quote, sorted(lifecycle.charon))
    )
    return "\n".join(lines) or "true"


def check_lifecycle(
    tunnel: IpsecTunnel, gateway: str, list_conns: str, list_pols: str, options: str
) -> list[Check]:
    """Compare the listings of a gateway's daemon with the cell. Raises ValueError if a listing
    cannot be read."""
    said = dict(re.findall(r"^(\S+) (known|unknown)$", options, re.MULTILINE))
    checks = [
        *_check_connection(tunnel, gateway, sas.read_list_conns(list_conns)),
        _check_without_sa(tunnel, gateway, list_pols),
    ]
    for name in sorted(tunnel.lifecycle.charon):
        what = f"{gateway}: option charon.{name} of strongSwan"
        checks.append(equal("lifecycle", what, said.get(name, "not asked"), "known"))
    return checks


def _check_connection(tunnel: IpsecTunnel, gateway: str, found: sas.Vici) -> Iterable[Check]:
    connection, own = found.get(CONNECTION, {}), tunnel.reactions(gateway)
    child = connection.get("children", {}).get(CONNECTION)
    if child is None:
        yield Check("lifecycle", f"{gateway}: connection", False, "none", CONNECTION)
        return
    delay = tunnel.lifecycle.dpd_delay
    wanted = None if delay is None else str(delay)
    yield equal("lifecycle", f"{gateway}: dpd_delay (s)", connection.get("dpd_delay"), wanted)
    action = _SHOWN.get(own.dpd_action, own.dpd_action)
    for name, wanted in {"dpd_action": action, "close_action": own.close_action}.items():
        yield equal("lifecycle", f"{gateway}: {name}", child.get(name), wanted)


def _check_without_sa(tunnel: IpsecTunnel, gateway: str, list_pols: str) -> Check:
    """The policies that a daemon keeps without an SA: for the packet that negotiates, and for
    dropped packets."""
    own, trap = tunnel.reactions(gateway), f"{CONNECTION} {tunnel.mode.upper()}"
    wanted = {trap} if own.start_action == "trap" else set[str]()
    if tunnel.lifecycle.guard:
        wanted.add(f"{GUARD} DROP")
    found = {f"{p.get('child')} {p.get('mode')}" for p in sas.read_list_policies(list_pols)}
    # After the last SA was lost or closed, these actions leave a policy behind.
    if "trap" in (own.dpd_action, own.close_action) and own.start_action != "trap":
        found.discard(trap)
    listed = ["; ".join(sorted(policies)) or "none" for policies in (found, wanted)]
    return equal("lifecycle", f"{gateway}: policies without an SA", *listed)
