"""Measuring tools: one module for each probe.

A probe is a model of its parameters (the fields that a scenario file may set) with two methods:
`measure` runs the tool on the bench and saves what it wrote; `read` turns one saved log into values
of the metrics that the probe declares, and refuses a log with a line it does not know. `readers`
holds the readers of logs that several probes share.
"""

from functools import cache

from remeasure.bench.probes.authentication import Authentication
from remeasure.bench.probes.base import Probe
from remeasure.bench.probes.by_hand import ByHand
from remeasure.bench.probes.cipher import Cipher
from remeasure.bench.probes.clock import Clock
from remeasure.bench.probes.cpu_cost import CpuCost
from remeasure.bench.probes.disturbed_flow import DisturbedFlow
from remeasure.bench.probes.ditg import Ditg
from remeasure.bench.probes.flow import Flow
from remeasure.bench.probes.ftp import Ftp
from remeasure.bench.probes.ike_setup import IkeSetup
from remeasure.bench.probes.iperf2 import Iperf2
from remeasure.bench.probes.iperf3 import Iperf3
from remeasure.bench.probes.known_wait import KnownWait
from remeasure.bench.probes.many_sas import ManySas
from remeasure.bench.probes.metrics import DERIVED, Kind, UndeclaredMetric
from remeasure.bench.probes.mixed import Mixed
from remeasure.bench.probes.ping import Ping
from remeasure.bench.probes.reauthentication import Reauthentication
from remeasure.bench.probes.reauthentication_train import ReauthenticationTrain
from remeasure.bench.probes.sizes import Sizes
from remeasure.bench.probes.traceroute import Traceroute

PROBES: dict[str, type[Probe]] = {
    probe.kind: probe
    for probe in (
        Authentication,
        ByHand,
        Cipher,
        Clock,
        CpuCost,
        DisturbedFlow,
        Ditg,
        Flow,
        Ftp,
        IkeSetup,
        Iperf2,
        Iperf3,
        KnownWait,
        ManySas,
        Mixed,
        Ping,
        Reauthentication,
        ReauthenticationTrain,
        Sizes,
        Traceroute,
    )
}
"""name in a scenario file -> probe"""


@cache
def kinds_of(metric: str) -> frozenset[Kind]:
    """The kinds of all metrics with this name, derived ones included; empty if nothing declares the
    name."""
    declared = [DERIVED, *(probe.metrics for probe in PROBES.values())]
    if exact := frozenset(metrics[metric].kind for metrics in declared if metric in metrics):
        return exact
    found = set[Kind]()
    for metrics in declared:
        try:
            found.add(metrics.of(metric).kind)
        except UndeclaredMetric:
            continue
    return frozenset(found)
