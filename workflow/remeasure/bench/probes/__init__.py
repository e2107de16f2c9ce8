"""Measuring tools: one module each, which is found without being listed here. A probe is a model of
its parameters (the fields that a scenario file may set) with two methods: `measure` runs the tool
on the bench and saves its output; `read` turns one saved log into values of the metrics that the
probe declares, by one of its `readers` if it saves several kinds of logs, and refuses a log with an
unknown line. Package `readers` has the readers of logs that several probes share."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from remeasure.bench.probes.base import Probe
from remeasure.bench.probes.metrics import DERIVED, MetricKind


def _found() -> dict[str, type[Probe]]:
    names = sorted(one.name for one in iter_modules(__path__))
    modules = [import_module(f"{__name__}.{name}") for name in names]
    classes = (one for module in modules for one in vars(module).values() if isinstance(one, type))
    kinds = {one.kind: one for one in classes if issubclass(one, Probe) and "kind" in vars(one)}
    return dict(sorted(kinds.items()))


PROBES = _found()
"""name in a scenario file -> probe"""


@cache
def kinds_of(metric: str) -> frozenset[MetricKind]:
    """The kinds of all metrics with this name, derived ones included; empty if nothing declares the
    name."""
    declared = [DERIVED, *(probe.metrics for probe in PROBES.values())]
    exact = frozenset(metrics[metric].kind for metrics in declared if metric in metrics)
    found = filter(None, (metrics.find(metric) for metrics in declared))
    return exact or frozenset(one.kind for one in found)
