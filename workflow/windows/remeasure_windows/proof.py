"""Proof of treatment on Windows hosts. Windows shows neither the counters nor the replay window of
an SA, so these are not proven. The bytes that a gateway's interface received show that packets went
through the tunnel (remeasure_windows.driver)."""

from collections.abc import Iterable

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.ipsec.proof import wanted_child
from remeasure_windows.ends import Ends
from remeasure_windows.interfaces import Connection
from remeasure_windows.state import State


def check_tunnel(ends: Ends, state: State, name: str) -> list[Check]:
    """Check that a gateway has the rule `name` and no other, and SAs in both directions, all of the
    cell's suite."""
    where = ends.gateway
    sas = [sa for sa in state.sas if ends.has(sa.local, sa.remote)]
    others = [f"{sa.local} to {sa.remote}" for sa in state.sas if sa not in sas]
    main = [one for one in state.main_modes if ends.has(one.local, one.remote)]
    checks = [
        equal("rules", f"{where}: rules in force", ", ".join(state.rules) or "none", name),
        Check("ike-sa", f"{where}: IKE_SAs established", bool(main), str(len(main)), "1 or more"),
        equal("child-sa", f"{where}: SAs of others", ", ".join(others) or "none", "none"),
    ]
    for way in ("in", "out"):
        number = sum(way in sa.directions for sa in sas)
        checks.append(
            Check("child-sa", f"{where}: CHILD_SAs {way}", number > 0, str(number), "1 or more")
        )
    if main:
        checks.append(
            equal(
                "authentication",
                f"{where}: authenticated by {ends.tunnel.auth}",
                _all(one.auth for one in main),
                ends.tunnel.auth,
            )
        )
    if sas:
        wanted = wanted_child(ends.tunnel)
        keys = dict.fromkeys([*wanted, *(key for sa in sas for key in sa.fields)])
        checks += [
            equal(
                "child-sa",
                f"{where}: CHILD_SA {key}",
                _all(sa.fields.get(key) for sa in sas),
                str(wanted.get(key)),
            )
            for key in keys
        ]
    return checks


def check_no_ipsec(host: str, state: State) -> list[Check]:
    """Check that a host has neither an SA nor a rule that could protect a packet."""
    return [equal("no-ipsec", f"{host}: SAs and policies", state.summary, "none")]


def check_link(place: str, rate: float, found: Connection | None) -> list[Check]:
    """A connection must be as fast as the cell asks for: `rate` [bit/s]. Windows shapes nothing, so
    the rate of a link is the rate of its network card."""
    speed = "no such connection" if found is None else found.speed if found.up else "not up"
    return [equal("link", f"{place}: rate (bit/s)", speed, int(rate))]


def _all(values: Iterable[object]) -> str:
    return " / ".join(sorted({str(value) for value in values}))
