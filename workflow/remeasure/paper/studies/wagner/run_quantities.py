"""The quantities computed from the study's runs: from one run, from part of one, or from two."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from remeasure.bench.base.errors import UserError
from remeasure.bench.probes.iperf2 import jain
from remeasure.paper.analysis.models.scaling import serial_share
from remeasure.paper.studies.wagner.raw_run import ROLES, Run, change_point, lag_1

RUNS = ("none", "single", "per-cpu")
PARTS = ("none-before", "none-after")
"""the two parts of the run without IPsec: before and after the change in it"""
SATURATED = 85
"""mean busy share over a run from which a processor counts as saturated [%]"""
SHORTEST = 10
"""shortest part of a run [s]: mean, spread and a few readings of processors need as much"""


@dataclass(frozen=True)
class Quantity:
    """One number or list of numbers, computed from the runs that `runs` names."""

    name: str
    unit: str
    runs: tuple[str, ...]
    compute: Callable[..., float | np.ndarray | None]
    """function of those runs, in the order of `runs`; it returns None where the quantity is not
    defined"""
    note: str = ""


def parts(run: Run) -> tuple[Run, Run]:
    """Two runs: before and after the change point, without the second on either side of it, since
    the study has the change take two seconds. Raises UserError if one of them is too short."""
    second, seconds = change_point(run.totals).second, len(run.totals)
    if not SHORTEST < second < seconds - SHORTEST:
        raise UserError(
            f"run without IPsec: found a change at {second} of {seconds} s, expected "
            f"one with more than {SHORTEST} s on either side"
        )
    return run.between(0, second - 1), run.between(second + 1, seconds)


def quantities() -> Iterator[Quantity]:
    """Yield all quantities. A name begins with the run, or with what is compared in two runs."""
    for run in (*RUNS, *PARTS):
        yield from _of_part(run)
    for run in RUNS:
        yield from _of_whole(run)
    yield Quantity(
        "none.drop_from",
        "Gbit/s",
        ("none",),
        lambda run: run.totals[_fall(run)],
        "where the largest fall within two seconds begins",
    )
    yield Quantity(
        "none.drop_to", "Gbit/s", ("none",), lambda run: run.totals[_fall(run) + 2], "where it ends"
    )
    yield from _between_runs()


def _of_part(run: str) -> Iterator[Quantity]:
    def quantity(name: str, unit: str, compute: Callable[..., Any], note: str = "") -> Quantity:
        return Quantity(f"{run}.{name}", unit, (run,), compute, note)

    yield quantity("seconds", "s", lambda r: len(r.totals))
    for name, of in (
        ("mean", np.mean),
        ("median", np.median),
        ("min", np.min),
        ("max", np.max),
        ("sd", _sd),
    ):
        yield quantity(f"throughput_{name}", "Gbit/s", lambda r, of=of: of(r.totals))
    yield quantity("throughput_cv", "%", lambda r: 100 * _sd(r.totals) / r.totals.mean())
    for host in ROLES:
        for name, of in (("mean", np.mean), ("min", np.min), ("max", np.max), ("sd", _sd)):
            yield quantity(
                f"{host}_busy_{name}",
                "%",
                lambda r, of=of, host=host: of(r.busy[host].mean(axis=1)),
            )
    yield quantity(
        "receiver_less_sender",
        "points",
        lambda r: r.busy["receiver"].mean() - r.busy["sender"].mean(),
    )
    yield quantity("hosts_busy", "%", _hosts_busy, "mean of both hosts")
    yield quantity("cores_per_gbit", "cores per Gbit/s", _cores_per_gbit, "mean of both hosts")


def _of_whole(run: str) -> Iterator[Quantity]:
    def quantity(name: str, unit: str, compute: Callable[..., Any], note: str = "") -> Quantity:
        return Quantity(f"{run}.{name}", unit, (run,), compute, note)

    yield quantity("throughput_last", "Gbit/s", lambda r: r.totals[-1], "the last second")
    yield quantity("throughput_whole", "Gbit/s", lambda r: r.whole, "iperf's row of the whole run")
    yield quantity(
        "rows_not_in_bits",
        "rows",
        lambda r: r.not_bits,
        "whose rate is not 8 times their bytes; the study heads it Bytes per second",
    )
    yield quantity("lag_1", "", lambda r: lag_1(r.totals), "autocorrelation of the seconds")
    yield quantity("flow_rates", "Gbit/s", lambda r: r.flows)
    yield quantity("flow_min", "Gbit/s", lambda r: r.flows.min())
    yield quantity("flow_max", "Gbit/s", lambda r: r.flows.max())
    yield quantity("flow_max_over_min", "", lambda r: r.flows.max() / r.flows.min())
    yield quantity("flow_jain", "", lambda r: jain(r.flows))
    yield quantity(
        "change_second",
        "s",
        lambda r: change_point(r.totals).second,
        "of the best split in two; a change only if that explains nearly all variance",
    )
    yield quantity("change_ratio", "", lambda r: change_point(r.totals).ratio)
    yield quantity("change_explained", "", lambda r: change_point(r.totals).explained)
    for host in ROLES:
        yield quantity(f"{host}_core_means", "%", lambda r, host=host: r.busy[host].mean(axis=0))
        yield quantity(
            f"{host}_saturated_cores",
            "cores",
            lambda r, host=host: int(_saturated(r, host).sum()),
            f"busy at least {SATURATED} % on average",
        )
    yield quantity(
        "throughput_per_saturated_receive_core",
        "Gbit/s",
        _per_saturated,
        "throughput over what the saturated ones were busy in sum",
    )


def _between_runs() -> Iterator[Quantity]:
    both = ("per-cpu", "single")
    yield Quantity("speed_up", "", both, _over, "throughput, per-cpu over single")
    yield Quantity(
        "serial_share",
        "",
        both,
        lambda many, one: serial_share(_over(many, one), many.busy["sender"].shape[1]),
        "of Amdahl's law, solved from two points, which is no test of it",
    )
    yield Quantity("hosts_busy.per-cpu_less_single", "points", both, _less)
    yield Quantity(
        "hosts_busy.per-cpu_above_single",
        "%",
        both,
        lambda many, one: 100 * _less(many, one) / _hosts_busy(one),
        "of what a single SA takes",
    )
    yield Quantity(
        "hosts_busy.per-cpu_over_single",
        "",
        both,
        lambda many, one: _hosts_busy(many) / _hosts_busy(one),
    )
    for none in ("none", *PARTS):
        yield Quantity(f"hosts_busy.single_less_{none}", "points", ("single", none), _less)
        for run in ("single", "per-cpu"):
            yield Quantity(f"throughput.{none}_over_{run}", "", (none, run), _over)


def _over(one: Run, other: Run) -> float:
    return one.totals.mean() / other.totals.mean()


def _less(one: Run, other: Run) -> float:
    return _hosts_busy(one) - _hosts_busy(other)


def _sd(values: np.ndarray) -> float:
    return values.std(ddof=1)


def _hosts_busy(run: Run) -> float:
    return float(np.mean([run.busy[host].mean() for host in ROLES]))


def _cores_per_gbit(run: Run) -> float:
    cores = np.mean([run.busy[host].mean(axis=0).sum() / 100 for host in ROLES])
    return cores / run.totals.mean()


def _saturated(run: Run, host: str) -> np.ndarray:
    return run.busy[host].mean(axis=0) >= SATURATED


def _per_saturated(run: Run) -> float | None:
    busy = run.busy["receiver"].mean(axis=0)[_saturated(run, "receiver")]
    return run.totals.mean() / (busy.sum() / 100) if len(busy) else None


def _fall(run: Run) -> int:
    return int((run.totals[:-2] - run.totals[2:]).argmax())
