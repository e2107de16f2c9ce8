"""Proof that each processor has an SA of its own (RFC 9611), and that these carry traffic.

The number of SAs is never checked exactly: two peers that ask at the same moment make duplicates,
and one more SA carries packets of a processor that has none yet.
"""

from collections.abc import Iterable
from functools import partial

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.ipsec.proof import Listings, check_all, listings_prover, of_listings
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.testbed.treatments.treatment import Prover


def per_cpu_provers(tunnel: Tunnel | None, cpus: int | None) -> Iterable[Prover]:
    """Each gateway has an SA for each of its `cpus` processors, where the cell asks for that.
    Raises ValueError if it asks without saying how many processors a host has."""
    if tunnel and tunnel.per_cpu != "no":
        if cpus is None:
            raise ValueError(f"per_cpu {tunnel.per_cpu} needs cpus, the processors of each host")
        for gateway in tunnel.gateways:
            yield listings_prover(gateway, partial(check_per_cpu, tunnel, gateway, cpus=cpus))


def check_per_cpu(
    tunnel: Tunnel, gateway: str, list_sas: str, xfrm_state: str, cpus: int
) -> list[Check]:
    """Suites, modes and replay windows of all SAs of one gateway; an outbound SA for each of its
    processors; and that at least two of them, where there are two, carried packets."""
    return of_listings(
        gateway, list_sas, xfrm_state, lambda found: _check_listed(tunnel, gateway, found, cpus)
    )


def _check_listed(tunnel: Tunnel, gateway: str, listings: Listings, cpus: int) -> list[Check]:
    out = [sa for sa in listings.kernel if sa.direction == "out"]
    have = {sa.cpu for sa in out if sa.cpu is not None}
    used = {sa.cpu for sa in out if sa.cpu is not None and sa.packets}
    least = min(2, cpus)
    return [
        *check_all(tunnel, gateway, listings, "IKE_SA", "CHILD_SA", "replay window"),
        equal("per-cpu", f"{gateway}: processors with an SA", sorted(have), list(range(cpus))),
        Check(
            "per-cpu",
            f"{gateway}: processors whose SA carried packets",
            len(used) >= least,
            str(sorted(used)),
            f"at least {least}",
        ),
    ]
