"""Scenario nat-t: ESP in UDP against plain ESP: bytes, goodput and processor time."""

from typing import Any, Unpack

import pandas as pd
from IPython.display import Markdown, display

from notebooks.packet_sizes.asks import whole
from remeasure.bench.ipsec.overhead import (
    UDP,
    full_tcp_segment,
    largest_udp_payload,
    packet_on_wire,
)
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.summaries import trial_summaries
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.notebook.asked import Asked, joined
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.virtual_time import NOT_MEASURED, VirtualTime

LENGTH = 1200
"""payload whose packets are compared [bytes]"""
WIRE, PAYLOAD = "wire_length", "largest"
TCP: Asked = {"probe": "tcp", "metric": "goodput"}
COST: Asked = {"probe": "udp", "metric": "cpu_per_packet"}
_RFC = "remeasure.bench.ipsec.overhead"
SIZES = dict.fromkeys(("packet, computed", "payload, computed"), _RFC)
FRAMES = dict.fromkeys(("plain, full frames", "in UDP, full frames"), _RFC)
"""columns of two tables that are computed -> by what"""
_YES, _NO = {"encap": "yes"}, {"encap": "no"}


class NatT:
    """The trials of scenario nat-t, in virtual time and in real time, as far as there are any."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook = notebook
        notebook.summarise(estimator, _wire(notebook.observations, notebook.tables.factors))
        self.virtual = VirtualTime(notebook, estimator)
        if self.virtual:
            self.virtual.add(_wire(self.virtual.tables["observations"], notebook.tables.factors))
        self.cost = pd.DataFrame()
        """summaries of the processor time of the gateways; without rows in virtual time"""
        if not self.virtual.alone:
            self.cost = notebook.per_packet(notebook.scenario.topology.gateways)
        self.suites = notebook.measured("suite")

    def found(self, suite: str, *parts: Asked, **fields: Unpack[Asked]) -> Estimate:
        """The answer to a question about a suite: in virtual time, if it was measured there."""
        ask = self.virtual.estimate if self.virtual else self.notebook.estimate
        return ask(_at(joined(*parts, fields), suite))

    def more(self, suite: str, metric: str) -> Estimate:
        """By how much ESP in UDP is above plain ESP."""
        return self.found(suite, metric=metric, quantity="difference", of=_YES, to=_NO)

    def sizes(self) -> pd.DataFrame:
        """Bytes of a packet and the largest payload, measured and computed, by suite and UDP."""
        rows, family = [], self.notebook.scenario.topology.family
        for suite in self.suites:
            for encap in ("no", "yes"):
                at: Asked = {"where": {"encap": encap}}
                tunnel = self.notebook.scenario.settings_where(suite=suite, encap=encap).tunnel
                rows.append(
                    {
                        "suite": suite,
                        "in UDP": encap,
                        f"packet of {LENGTH} bytes": whole(self.found(suite, at, metric=WIRE)),
                        "packet, computed": packet_on_wire(
                            tunnel, LENGTH + UDP + family.header, family
                        ),
                        "largest payload": whole(self.found(suite, at, metric=PAYLOAD)),
                        "payload, computed": largest_udp_payload(tunnel, family=family),
                    }
                )
        return pd.DataFrame(rows, dtype=object)

    def goodput(self) -> pd.DataFrame:
        """Goodput of TCP [Mbit/s] by suite, and what full frames leave of the link's rate."""
        rows, family = [], self.notebook.scenario.topology.family
        for suite in self.suites:
            row: dict[str, Any] = {"suite": suite}
            for encap, label in (("no", "plain"), ("yes", "in UDP")):
                settings = self.notebook.scenario.settings_where(suite=suite, encap=encap)
                rate = min(s.rate_bits for s in settings.shaping.values() if s.rate_bits) / 1e6
                payload, frame = full_tcp_segment(settings.tunnel, family)
                row[label] = text(self.found(suite, TCP, where={"encap": encap}))
                row[f"{label}, full frames"] = round(rate * payload / frame, 2)
            row["in UDP / plain"] = text(self.found(suite, TCP, quantity="ratio", of=_YES, to=_NO))
            rows.append(row)
        return pd.DataFrame(rows, dtype=object)

    def processor(self, suite: str) -> Estimate | None:
        """Processor time of a packet at both gateways, in UDP over plain; None if no campaign in
        real time measured it."""
        if self.cost.empty:
            return None
        question: Asked = {"quantity": "ratio", "of": _YES, "to": _NO, **COST}
        found = self.notebook.estimate(_at(question, suite), summaries=self.cost)
        return found if found.n else None

    def processor_table(self) -> pd.DataFrame:
        """Processor time of both gateways [us a packet] by suite, plain and in UDP."""
        rows = []
        for suite in self.suites if not self.cost.empty else []:
            row = {"suite": suite}
            for label, level in (("plain", _NO), ("in UDP", _YES)):
                asked = _at({"where": level, **COST}, suite)
                row[label] = text(self.notebook.estimate(asked, summaries=self.cost))
            ratio = self.processor(suite)
            rows.append(row | {"in UDP / plain": text(ratio) if ratio else NOT_MEASURED})
        return pd.DataFrame(rows, dtype=object)

    def lacking(self) -> None:
        """Show what is missing where no campaign in real time was measured."""
        if self.cost.empty:
            said = (
                "**Processor time was not measured.** In virtual time computing takes no time. "
                "`env/run remeasure measure NAME nat-t 1 --profile quick` measures it in real time."
            )
            display(Markdown(said))

    def processor_sentence(self) -> str:
        """What processor time a packet in UDP takes, in words."""
        found = {suite: self.processor(suite) for suite in self.suites}
        known = {suite: ratio for suite, ratio in found.items() if ratio is not None}
        if not known:
            return "We have not measured processor time yet: in virtual time computing takes none"
        said = (f"{text(ratio)} with {suite}" for suite, ratio in known.items())
        return f"Processor time of a packet at both gateways, in UDP over plain: {', '.join(said)}"

    def hand_over(self) -> None:
        """Keep the numbers of the answer."""
        results = self.notebook.results
        for name, suite in (("Gcm", "aes128gcm16"), ("Cbc", "aes128-sha256")):
            results.words(f"Bytes{name}", whole(self.more(suite, WIRE)))
            for way, here in (("Plain", _NO), ("Udp", _YES)):
                payload = whole(self.found(suite, metric=PAYLOAD, where=here))
                results.words(f"Payload{name}{way}", payload)
                goodput = self.found(suite, TCP, where=here)
                results.number(f"Tcp{name}{way}", goodput, 1)
            ratio = self.found(suite, TCP, quantity="ratio", of=_YES, to=_NO)
            results.number(f"Tcp{name}", ratio, 3)
        says = "processor time of a packet, both gateways, in UDP over plain"
        results.words("Processor", self.processor_sentence(), says)


def _at(question: Asked, suite: str) -> Asked:
    return joined({"where": {"suite": suite}}, question)


def _wire(observations: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """Summaries of the length of the packet that carries LENGTH bytes."""
    chosen = observations[(observations["metric"] == "on_wire") & (observations["index"] == LENGTH)]
    return trial_summaries(chosen.assign(metric=WIRE), factors)
