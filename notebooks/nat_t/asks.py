"""Scenario nat-t: ESP in UDP against plain ESP: bytes, goodput and processor time."""

import itertools
from typing import Any

import pandas as pd

from remeasure.bench.ipsec import overhead
from remeasure.bench.ipsec.overhead import UDP
from remeasure.paper.analysis.summaries import trial_summaries
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, Asking, at, each, whole_text
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.virtual_time import VirtualTime

LENGTH = 1200
"""payload whose packets are compared [bytes]"""
WAYS = {"plain": "no", "in UDP": "yes"}
MORE: Asked = {"quantity": "difference", "of": {"encap": "yes"}, "to": {"encap": "no"}}
OVER: Asked = {**MORE, "quantity": "ratio"}
WIRE: Asked = {"metric": "wire_length"}
PAYLOAD: Asked = {"metric": "largest"}
TCP: Asked = {"probe": "tcp", "metric": "goodput"}
COST: Asked = {"probe": "udp", "metric": "cpu_per_packet"}
COSTS = {way: at(COST, encap=level) for way, level in WAYS.items()} | {
    "in UDP / plain": asked.joined(COST, OVER)
}
SUITES = {"Gcm": "aes128gcm16", "Cbc": "aes128-sha256", "Six": "aes128gcm16-v6"}
"""part of names of numbers -> suite; the last one over IPv6"""
SIZES = dict.fromkeys(("packet, computed", "payload, computed"), overhead.__name__)
FRAMES = dict.fromkeys(("plain, full frames", "in UDP, full frames"), overhead.__name__)
"""computed columns of two tables -> module that computes them"""


class NatT:
    """The trials of scenario nat-t: bytes and goodput from virtual time, if measured there."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook, factors = notebook, notebook.tables.factors
        notebook.summarise(estimator, _wire(notebook.observations, factors))
        self.virtual = VirtualTime(notebook, estimator)
        if self.virtual:
            self.virtual.add(_wire(self.virtual.tables["observations"], factors))
        of = self.virtual or notebook
        self.trials = Asking(notebook, of.summaries)
        cost = notebook.summaries.iloc[:0]
        if not self.virtual.alone:
            cost = notebook.per_packet(notebook.scenario.topology.gateways)
        self.cost = Asking(notebook, cost)
        """processor time of the gateways; no trials in virtual time"""
        self.suites = each("suite", notebook.measured("suite"))
        """suites over IPv4"""
        found = dict.fromkeys([*notebook.measured("suite"), *of.summaries["suite"]])
        self.over_both = {suite.replace("-v6", ", IPv6"): suite for suite in found}
        """name in tables -> suite, over IPv4 and over IPv6"""

    def sizes(self) -> pd.DataFrame:
        """Bytes of a packet and the largest payload, measured and computed, by suite and UDP."""
        rows = []
        for (name, suite), encap in itertools.product(self.over_both.items(), WAYS.values()):
            cell = at({}, suite=suite, encap=encap)
            settings, network = self.notebook.cell(suite=suite, encap=encap)
            tunnel, family = settings.tunnel, network.family
            packet = LENGTH + UDP + family.header
            row = {
                "suite": name,
                "in UDP": encap,
                f"packet of {LENGTH} bytes": whole_text(self.trials.estimate(WIRE, cell)),
                "packet, computed": overhead.packet_on_wire(tunnel, packet, family),
                "largest payload": whole_text(self.trials.estimate(PAYLOAD, cell)),
                "payload, computed": overhead.largest_udp_payload(tunnel, family=family),
            }
            rows.append(row)
        return pd.DataFrame(rows, dtype=object)

    def full_frames(self, suite: str, encap: str) -> float:
        """Goodput of full frames at the link's rate [Mbit/s]."""
        settings, network = self.notebook.cell(suite=self.over_both[suite], encap=encap)
        payload, frame = overhead.full_tcp_segment(settings.tunnel, network.family)
        rate = min(link.rate_bits for link in settings.shaping.values() if link.rate_bits)
        return round(rate / 1e6 * payload / frame, 2)

    def goodput(self) -> pd.DataFrame:
        """Goodput of TCP [Mbit/s] by suite, and goodput of full frames at the link's rate."""
        columns: dict[str, Any] = {}
        for way, encap in WAYS.items():
            columns[way] = at(TCP, encap=encap)
            columns[f"{way}, full frames"] = lambda suite, e=encap: self.full_frames(suite, e)
        columns["in UDP / plain"] = asked.joined(TCP, OVER)
        rows = {name: at({}, suite=suite) for name, suite in self.over_both.items()}
        return asked.table(self.trials, "suite", rows, columns)

    def processor(self) -> str:
        """Processor time of a packet in UDP, in words."""
        if self.cost.summaries.empty:
            return "We have not measured processor time yet: in virtual time computing takes none"
        ratios = {suite: self.cost.text(COST, OVER, part) for suite, part in self.suites.items()}
        said = ", ".join(f"{ratio} with {suite}" for suite, ratio in ratios.items())
        return f"Processor time per packet at both gateways, in UDP over plain: {said}"

    def hand_over(self) -> None:
        for name, suite in SUITES.items():
            ends = {"Plain": "no", "Udp": "yes"}
            cells = {end: {"suite": suite, "encap": encap} for end, encap in ends.items()}
            payloads = {f"Payload{name}{end}": at(PAYLOAD, **cell) for end, cell in cells.items()}
            more = {f"Bytes{name}": at(asked.joined(WIRE, MORE), suite=suite)}
            asked.hand_over(self.trials, more | payloads, whole_text)
            goodput = {f"Tcp{name}{end}": at(TCP, **cell) for end, cell in cells.items()}
            over = {f"Tcp{name}": at(asked.joined(TCP, OVER), suite=suite)}
            asked.hand_over(self.trials, goodput | over, unit="")
        self.notebook.results.words("Processor", self.processor(), "ratios in a sentence")


def _wire(observations: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """Summaries of the length of a packet with LENGTH bytes of payload."""
    chosen = observations[(observations["metric"] == "on_wire") & (observations["index"] == LENGTH)]
    return trial_summaries(chosen.assign(metric=WIRE["metric"]), factors)
