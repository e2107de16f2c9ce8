"""Measuring tools: one module for each probe.

A probe is a model of its parameters (the fields that a scenario file may set) with two methods:
`measure` runs the tool on the bench and saves what it wrote; `read` turns one saved log into values
of the metrics that the probe declares, and refuses a log with a line it does not know. `readers`
holds the readers of logs that several probes share.
"""

from remeasure.probes.authentication import Authentication
from remeasure.probes.base import Probe
from remeasure.probes.by_hand import ByHand
from remeasure.probes.cipher import Cipher
from remeasure.probes.clock import Clock
from remeasure.probes.cpu_cost import CpuCost
from remeasure.probes.disturbed_flow import DisturbedFlow
from remeasure.probes.ditg import Ditg
from remeasure.probes.flow import Flow
from remeasure.probes.ftp import Ftp
from remeasure.probes.ike_setup import IkeSetup
from remeasure.probes.iperf2 import Iperf2
from remeasure.probes.iperf3 import Iperf3
from remeasure.probes.known_wait import KnownWait
from remeasure.probes.many_sas import ManySas
from remeasure.probes.mixed import Mixed
from remeasure.probes.ping import Ping
from remeasure.probes.reauthentication import Reauthentication
from remeasure.probes.reauthentication_train import ReauthenticationTrain
from remeasure.probes.sizes import Sizes
from remeasure.probes.traceroute import Traceroute

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
