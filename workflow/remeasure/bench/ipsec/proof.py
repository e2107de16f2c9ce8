"""Proof of treatment: what a trial must show of its tunnel before its numbers count.

Each check compares what the hosts say with what the cell asked for.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.ipsec.sas import KernelSa, Vici, in_use, read_xfrm_state
from remeasure.bench.ipsec.suites import in_kernel, negotiated
from remeasure.bench.ipsec.tunnel import SUPPLICANT, Tunnel
from remeasure.bench.testbed.treatments.treatment import Prover, Question

_LIST_SAS = (
    "pgrep -x charon-systemd >/dev/null || { echo 'charon does not run any more' >&2; exit 1; }; "
    "swanctl --list-sas --raw"
)
_XFRM_STATE = ["ip", "-s", "xfrm", "state", "list", "nokeys"]
_NO_IPSEC = "ip xfrm state list nokeys; ip xfrm policy list"
"""what must print nothing on a host without IPsec"""


def tunnel_provers(tunnel: Tunnel | None, used: bool) -> Iterable[Prover]:
    """Each gateway has the one tunnel of the cell, and if the tunnel was `used`, its SAs carried
    packets. None where a cell has no tunnel, many, or one with an SA for each processor."""
    if tunnel and tunnel.per_cpu == "no" and tunnel.count is None:
        for gateway in tunnel.gateways:
            yield listings_prover(gateway, partial(check_tunnel, tunnel, gateway, used=used))


def no_ipsec_provers(tunnel: Tunnel | None, hosts: Iterable[str]) -> Iterable[Prover]:
    """Where a cell has no tunnel, no host has IPsec."""
    for host in [] if tunnel else hosts:
        question = Question(f"proof.{host}.no-ipsec.txt", _NO_IPSEC)
        yield Prover(host, [question], partial(check_no_ipsec, host))


@dataclass(frozen=True)
class Listings:
    """The SAs of one gateway, as its daemon and its kernel list them."""

    established: list[Vici]
    """IKE_SAs that are established"""
    children: list[Vici]
    """their CHILD_SAs that protect traffic"""
    kernel: list[KernelSa]


def read_listings(list_sas: str, xfrm_state: str) -> Listings:
    """Raises ValueError as `read_list_sas` and `read_xfrm_state` do."""
    return Listings(*in_use(list_sas), read_xfrm_state(xfrm_state))


def listings_prover(gateway: str, check: Callable[[str, str], list[Check]]) -> Prover:
    """Asks a gateway for its SAs; `check` takes the listings of its daemon and of its kernel."""
    questions = [
        Question(f"proof.{gateway}.list-sas.txt", _LIST_SAS),
        Question(f"proof.{gateway}.xfrm-state.txt", _XFRM_STATE),
    ]
    return Prover(gateway, questions, check)


def of_listings(
    gateway: str, list_sas: str, xfrm_state: str, check: Callable[[Listings], list[Check]]
) -> list[Check]:
    """`check` of listings, or one failed check if they cannot be read."""
    try:
        listings = read_listings(list_sas, xfrm_state)
    except ValueError as error:
        name = f"{gateway}: SA listing"
        return [Check("child-sa", name, False, str(error), "a readable listing")]
    return check(listings)


def check_tunnel(
    tunnel: Tunnel, gateway: str, list_sas: str, xfrm_state: str, used: bool = True
) -> list[Check]:
    """The negotiated suite, mode and replay window of one gateway, from its two listings; and, if
    the tunnel was `used`, that its SAs carried packets."""
    return of_listings(
        gateway, list_sas, xfrm_state, lambda found: _check_listed(tunnel, gateway, found, used)
    )


def _check_listed(tunnel: Tunnel, gateway: str, listings: Listings, used: bool) -> list[Check]:
    established, children = listings.established, listings.children
    checks = [
        equal("ike-sa", f"{gateway}: IKE_SAs established", len(established), 1),
        equal("child-sa", f"{gateway}: CHILD_SAs installed", len(children), 1),
    ]
    if len(established) != 1 or len(children) != 1:
        return checks
    checks += [
        equal(ike_kind(key), f"{gateway}: IKE_SA {key}", established[0].get(key), value)
        for key, value in wanted_ike(tunnel, gateway).items()
    ]
    checks += [
        equal("child-sa", f"{gateway}: CHILD_SA {key}", children[0].get(key), value)
        for key, value in wanted_child(tunnel).items()
    ]
    in_udp = "yes" if tunnel.encap else None
    checks.append(equal("child-sa", f"{gateway}: CHILD_SA encap", children[0].get("encap"), in_udp))
    for direction in ("in", "out"):
        spi = int(str(children[0][f"spi-{direction}"]), 16)
        sas = [sa for sa in listings.kernel if (int(sa.spi, 16), sa.direction) == (spi, direction)]
        if len(sas) != 1:
            checks.append(equal("child-sa", f"{gateway}: kernel SAs {direction}", len(sas), 1))
            continue
        checks += _check_kernel(tunnel, gateway, sas[0], used)
    return checks


def _check_kernel(tunnel: Tunnel, gateway: str, sa: KernelSa, used: bool) -> list[Check]:
    """The kernel's SA of one direction."""
    whose = f"kernel's SA {sa.direction}"
    checks = [
        equal(
            "child-sa",
            f"{gateway}: algorithms of the {whose}",
            list(sa.algorithms),
            in_kernel(tunnel.proposal),
        ),
        equal("child-sa", f"{gateway}: {whose} in UDP", sa.in_udp, tunnel.encap),
    ]
    if used:
        name = f"{gateway}: packets {sa.direction}"
        checks.append(Check("sa-packets", name, sa.packets > 0, str(sa.packets), "more than 0"))
    if sa.direction == "in":
        name = f"{gateway}: replay window"
        checks.append(equal("replay-window", name, sa.replay_window, tunnel.replay_window))
    return checks


def ike_kind(key: str) -> str:
    """Kind of the check of one field of an IKE_SA."""
    return "eap-identity" if key == "remote-eap-id" else "ike-sa"


def check_all(
    tunnel: Tunnel, gateway: str, found: Listings, ike: str, child: str, window: str
) -> list[Check]:
    """Suites, modes and replay windows of all SAs of one gateway, where there are many: `ike`,
    `child` and `window` begin the names of their checks."""

    def values(sas: list[Vici], key: str) -> list[object]:
        return sorted({sa.get(key) for sa in sas}, key=str)

    windows = sorted({sa.replay_window for sa in found.kernel if sa.direction == "in"})
    kinds = sorted({sa.algorithms for sa in found.kernel})
    name = f"{gateway}: algorithms of the kernel's SAs"
    return [
        *(
            equal(ike_kind(key), f"{gateway}: {ike} {key}", values(found.established, key), [value])
            for key, value in wanted_ike(tunnel, gateway).items()
        ),
        *(
            equal("child-sa", f"{gateway}: {child} {key}", values(found.children, key), [value])
            for key, value in wanted_child(tunnel).items()
        ),
        equal("child-sa", name, kinds, [tuple(in_kernel(tunnel.proposal))]),
        equal("replay-window", f"{gateway}: {window}", windows, [tunnel.replay_window]),
    ]


def wanted_ike(tunnel: Tunnel, gateway: str) -> dict[str, str | None]:
    """Fields that an IKE_SA must have in the listing of one gateway."""
    wanted: dict[str, str | None] = {"version": "2", **negotiated(tunnel.ike)}
    if gateway == tunnel.responder:
        wanted["remote-eap-id"] = SUPPLICANT if tunnel.eap else None
    return wanted


def wanted_child(tunnel: Tunnel) -> dict[str, str]:
    """Fields that a CHILD_SA must have. The Diffie-Hellman group is left out: the first CHILD_SA is
    created in IKE_AUTH without a key exchange of its own (RFC 7296, section 1.2)."""
    wanted = {
        "mode": tunnel.mode.upper(),
        "protocol": tunnel.protocol,
        **negotiated(tunnel.proposal),
    }
    wanted.pop("dh-group", None)
    return wanted


def check_no_ipsec(host: str, xfrm: str) -> list[Check]:
    """A host has neither an SA nor a policy that could protect anything."""
    return [equal("no-ipsec", f"{host}: SAs and policies", xfrm.strip() or "none", "none")]
