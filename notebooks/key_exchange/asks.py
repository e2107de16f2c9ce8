"""Scenario key-exchange: what groups and ML-KEM cost over round trips and losses."""

from functools import cached_property

import pandas as pd

from remeasure.bench.base.errors import UserError
from remeasure.paper.analysis.estimates import NOTHING, Estimate
from remeasure.paper.analysis.lineage import Quoted
from remeasure.paper.analysis.models.key_exchange_messages import EXCHANGES
from remeasure.paper.analysis.models.key_exchange_reading import (
    Cell,
    Reading,
    cells,
    longer_by,
    pooled,
    reading,
)
from remeasure.paper.analysis.models.lossy_set_up import Path, SetUp, Timers, set_up
from remeasure.paper.analysis.texts import NO_NUMBER, fixed
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

PROBE = "direct"
NAMES = {
    "x25519": "X25519",
    "ecp256": "ECP-256",
    "ecp384": "ECP-384",
    "modp2048": "MODP-2048",
    "modp4096": "MODP-4096",
    "mlkem768": "ML-KEM-768 alone",
    "x25519-mlkem768": "X25519 and ML-KEM-768",
    "x25519-mlkem768-whole": "hybrid, unfragmented",
    "rsa-x25519": "RSA chains, X25519",
    "rsa-x25519-whole": "RSA chains, X25519, unfragmented",
    "rsa-x25519-mlkem768": "RSA chains, X25519 and ML-KEM-768",
    "rsa-x25519-mlkem768-whole": "RSA chains, hybrid, unfragmented",
}
"""level -> its name in tables and chart"""
COUNTS = {
    "exchanges": "ike_exchanges",
    "datagrams": "ike_datagrams",
    "IP packets": "ike_packets",
    "bytes of IKE": "ike_bytes",
}


def whole(found: Estimate) -> Quoted:
    """A count or a time that is the same, or nearly so, in all set-ups, without decimals."""
    shown = fixed(found.value, 0) if found.n else NO_NUMBER
    return Quoted(shown, [found.origin])


class KeyExchange:
    """The trials of scenario key-exchange."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook = notebook
        self.summaries = notebook.summarise(estimator)
        self.exchanges = notebook.measured("exchange", EXCHANGES)
        self.paths = {network: self._path(network) for network in notebook.measured("network")}
        """network -> its round trip and loss"""
        self.clean = [n for n, path in self.paths.items() if not path.loss]
        self.lossy = [n for n, path in self.paths.items() if path.loss]

        self.far = max(self.clean, key=lambda n: self.paths[n].round_trip, default="")
        """the network of the longest round trip without loss; empty: there is none"""
        self.worst = max(
            self.lossy, key=lambda n: (self.paths[n].loss, self.paths[n].round_trip), default=""
        )
        """the network of most loss and the longest round trip; empty: there is none"""
        near = [
            n for n in self.lossy if n != self.worst and self._loss(n) == self._loss(self.worst)
        ]
        self.drawn_networks = [n for n in (self.far, *near, self.worst) if n]
        """the chart's networks"""

    def _loss(self, network: str) -> float:
        return self.paths[network].loss

    def _path(self, network: str) -> Path:
        """A path whose two directions are alike. Raises UserError for any other."""
        shaping = self.notebook.scenario.settings_where(network=network).shaping
        ways = [shaping[place].impairment for place in shaping]
        if not ways:
            return Path(0, 0)
        if len(ways) != 2 or ways[0] != ways[1] or ways[0].jitter_ms:
            raise UserError(f"network {network}: found {ways}, expected both ways alike, no jitter")
        return Path(2 * ways[0].delay_ms, ways[0].loss_percent / 100)

    # Set-ups beside the model

    @cached_property
    def cells(self) -> dict[tuple[str, str], Cell]:
        """Exchange and network -> its set-ups."""
        found = cells(self.notebook.observations, ["exchange", "network"], PROBE)
        return {(one.levels[0]["exchange"], one.levels[0]["network"]): one for one in found}

    def model(self, exchange: str, network: str, timers: Timers | None = None) -> SetUp:
        return set_up(EXCHANGES[exchange], self.paths[network], timers)

    @cached_property
    def reading(self) -> Reading:
        """What the comparison with the model says, by the rules of key_exchange_reading."""
        return reading([(cell, self.model(*where)) for where, cell in self.cells.items()])

    def mean(self, exchange: str, network: str) -> Estimate:
        """Mean delay of a set-up that succeeds [ms]."""
        cell = self.cells.get((exchange, network))
        return cell.mean() if cell else NOTHING

    def slow(self, exchange: str, network: str) -> Estimate:
        """Share of set-ups that take longer than a second, or fail [%]."""
        cell = self.cells.get((exchange, network))
        return cell.slow_share() if cell else NOTHING

    def count(self, exchange: str, what: str, network: str) -> Estimate:
        """A count of COUNTS, mean over the set-ups of a cell."""
        where = {"exchange": exchange, "network": network}
        return self.notebook.estimate(metric=COUNTS[what], probe=PROBE, where=where)

    def bytes_sent(self) -> dict[str, float]:
        """Exchange -> bytes of IKE of a set-up without loss, for each that was measured."""
        found = {e: self.count(e, "bytes of IKE", self.far) for e in self.exchanges}
        return {exchange: counted.value for exchange, counted in found.items() if counted.n}

    def alike(self, network: str) -> Cell | None:
        """Set-ups of all key exchanges that take two exchanges of one datagram each way: of them
        the model says the same."""
        short = [e for e in self.exchanges if EXCHANGES[e] == EXCHANGES["x25519"]]
        own = [self.cells[e, network] for e in short if (e, network) in self.cells]
        return pooled(own) if own else None

    def hybrid_longer(self, network: str) -> Estimate:
        """By how much a set-up with the hybrid takes longer than one of `alike` [ms]."""
        hybrid, others = self.cells.get(("x25519-mlkem768", network)), self.alike(network)
        return longer_by(hybrid, others) if hybrid and others else NOTHING

    def drawn(self, networks: list[str]) -> pd.DataFrame:
        """The chart's marks: columns row, level, value, low, high, model [ms], origin."""
        rows = []
        for exchange in self.exchanges:
            for network in networks:
                if found := self.cells.get((exchange, network)):
                    mean, path = found.mean(), self.paths[network]
                    loss = f"{100 * path.loss:g} % lost each way" if path.loss else "no loss"
                    rows.append(
                        {"row": NAMES[exchange], "level": f"{path.round_trip:g} ms, {loss}"}
                        | mean.columns()
                        | {"model": self.model(exchange, network).mean}
                    )
        return pd.DataFrame(rows)
