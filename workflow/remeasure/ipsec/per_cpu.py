"""Proof that there is an SA for each processor (RFC 9611), and that they carry traffic.

Never an exact number of SAs: two peers that ask at the same moment make duplicates, and there is
one more for packets that find none of their processor.
"""

from collections.abc import Callable

from remeasure.checks import Check, equal
from remeasure.ipsec.proof import ike_kind, in_force, unreadable, wanted_child, wanted_ike
from remeasure.ipsec.sas import Vici, read_xfrm_state
from remeasure.ipsec.tunnel import Tunnel


def check_per_cpu(
    tunnel: Tunnel, gateway: str, list_sas: str, xfrm_state: str, cpus: int
) -> list[Check]:
    """Suites and modes of all SAs of one gateway, and their window; an outbound SA for each of its
    processors; and that at least two of them, where there are two, carried packets."""
    try:
        established, children = in_force(list_sas)
        kernel_sas = read_xfrm_state(xfrm_state)
    except ValueError as error:
        return [unreadable(gateway, error)]

    def all_are(
        what: str, sas: list[Vici], wanted: dict, kind: Callable[[str], str]
    ) -> list[Check]:
        return [
            equal(
                kind(key),
                f"{gateway}: {what} {key}",
                sorted({sa.get(key) for sa in sas}, key=str),
                [value],
            )
            for key, value in wanted.items()
        ]

    checks = all_are("IKE_SA", established, wanted_ike(tunnel, gateway), ike_kind)
    checks += all_are("CHILD_SA", children, wanted_child(tunnel), lambda key: "child-sa")
    checks.append(
        equal(
            "replay-window",
            f"{gateway}: replay window",
            sorted({sa.replay_window for sa in kernel_sas if sa.direction == "in"}),
            [tunnel.replay_window],
        )
    )
    out = [sa for sa in kernel_sas if sa.direction == "out" and sa.cpu is not None]
    checks.append(
        equal(
            "per-cpu",
            f"{gateway}: processors with an SA",
            sorted({sa.cpu for sa in out}),
            list(range(cpus)),
        )
    )
    used, least = {sa.cpu for sa in out if sa.packets}, min(2, cpus)
    checks.append(
        Check(
            "per-cpu",
            f"{gateway}: processors whose SA carried packets",
            len(used) >= least,
            str(sorted(used)),
            f"at least {least}",
        )
    )
    return checks
