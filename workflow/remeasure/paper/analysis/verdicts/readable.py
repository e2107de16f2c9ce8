"""Answers that the bench allows: a rate that a link limited shows no cost of suites or
authentication, and a delay over links that take no time shows no effect of packet sizes. An
*unreadable* answer cannot come from these trials at all. An answer *held by a link* can show that
costs differ, but not that they are equal: a cost that leaves a processor time to spare stays
hidden."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from remeasure.bench.campaign.factors import Worlds
from remeasure.bench.claims.questions import Question, bounds
from remeasure.bench.claims.rules import COST, COST_OF_BYTE
from remeasure.bench.probes import kinds_of
from remeasure.paper.analysis.decisions import ALPHA, CONFIRMED, Evidence, decide
from remeasure.paper.analysis.evaluation import Answer
from remeasure.paper.analysis.limits import rate_limits

NO_TIME = (
    "the bench's links took no time to send a packet (a token bucket passed each at once), so what "
    "its size adds to a delay was not there"
)


@dataclass(frozen=True)
class BenchFacts:
    """The bench of a scenario's trials, as far as it decides how to read them."""

    limits: pd.DataFrame = field(default_factory=pd.DataFrame)
    """the limit of the rate of each run (limits.rate_limits.limits)"""
    costly: frozenset[str] = frozenset()
    """factors whose levels differ in processor time for each bit"""
    suites: frozenset[str] = frozenset()
    """factors whose levels set how packets are protected, and nothing else"""
    ends: frozenset[str] = frozenset()
    """factors whose levels change a rate only by the work of the ends of a tunnel"""
    sizes: frozenset[str] = frozenset()
    """factors whose levels set how large packets are"""
    generic_code: bool = False
    """True if no cipher or hash was computed by the processor's instructions for it"""
    worlds: Worlds | None = None
    """the levels without and with the processor's instructions, if trials have both"""
    virtual: bool = False
    """True for trials in virtual time, whose blocks need not vary"""
    links_take_time: bool = True
    """True if each link takes a packet's bits over its rate to send it"""
    _seen: dict[tuple[Any, ...], Any] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """cached results for the runs of some cells: every choice of the analysis needs them again"""

    def unreadable(self, test: Question, found: Answer) -> str:
        """Why these trials cannot answer the question; empty if they can."""
        kinds = kinds_of(test.metric)
        of_delay = kinds & {"delay", "one-way"} and not self.links_take_time
        if of_delay and test.compares() & self.sizes:
            return NO_TIME
        if "rate" in kinds and found.estimate.n and test.compares() & self.costly:
            return str(self._once(rate_limits.not_performance, found.cells, found.blocks))
        if self.limits.empty or not found.estimate.n:
            return ""
        packets = test.metric == COST
        if packets:
            sides = tuple(sorted(test.contrasted))
            if why := self._once(rate_limits.unlike_packets, found.cells, found.blocks, sides):
                return str(why)
        if packets or (test.metric == COST_OF_BYTE and _compares(test, self.suites)):
            return str(self._once(rate_limits.not_a_cost, found.cells, found.blocks))
        return ""

    def by_datagrams(self, cells: pd.DataFrame) -> bool:
        """True if all payload of these cells went in UDP, as far as runs are known."""
        blocks = () if self.limits.empty else tuple(self.limits["block"].unique())
        return bool(blocks and self._once(rate_limits.only_datagrams, cells, blocks))

    def compares_suites(self, test: Question) -> bool:
        """True if the question compares rates of suites, whatever their sizes and transports."""
        return _compares_rates(test, self.suites)

    def in_generic_code(self, test: Question) -> bool:
        """True if the question compares suites, all computed in generic C code: the order on other
        hardware may differ."""
        return self.generic_code and _compares(test, self.suites)

    def held(self, test: Question, found: Answer) -> float | None:
        """How much more processor time a side could have cost without a lower rate
        (rate_limits.hidden_cost), if the question compares work of ends and a link limited at least
        half of the runs (for an extreme, at one level); else None."""
        if not _compares_rates(test, self.ends) or self.limits.empty or not found.estimate.n:
            return None
        cells = [found.cells]
        if test.reduce != "mean" and test.over in found.cells:
            cells = [of for _, of in found.cells.groupby(test.over)]
        if all(self._once(rate_limits.link_share, of, found.blocks) < 0.5 for of in cells):
            return None
        return float(self._once(rate_limits.hidden_cost, found.cells, found.blocks))

    def _once(
        self, ask: Callable[..., Any], cells: pd.DataFrame, blocks: tuple[int, ...], *more: Any
    ) -> Any:
        """The cached result of `ask` of limits.rate_limits for the runs of these cells and blocks,
        and for `more`."""
        key = (ask, blocks, more, tuple(cells), *map(tuple, cells.to_numpy()))
        if key not in self._seen:
            known = cells[[column for column in cells if column in self.limits]]
            self._seen[key] = ask(rate_limits.runs_of(self.limits, known, blocks), *more)
        return self._seen[key]


def _compares(test: Question, factors: frozenset[str]) -> bool:
    return bool(test.contrasted) and test.contrasted <= factors


def _compares_rates(test: Question, factors: frozenset[str]) -> bool:
    return "rate" in kinds_of(test.metric) and _compares(test, factors)


def without_link(test: Question, proof: Evidence) -> tuple[Evidence, bool]:
    """The evidence of an answer that a link held, and whether it would have shown equality.
    Equality then supports no verdict: neither "no difference that matters" nor a statement that two
    are alike."""
    one = np.ones_like(proof.confirmed)
    if test.matters is not None:
        return proof._replace(no_difference=one), bool(proof.no_difference <= ALPHA)
    if test.expect and np.isfinite(bounds(test.expect)).all():
        return proof._replace(confirmed=one), str(decide(proof)) == CONFIRMED
    return proof, False
