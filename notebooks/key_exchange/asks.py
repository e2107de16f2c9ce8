"""Scenario key-exchange: the cost of groups and ML-KEM over round trips and losses."""

import itertools
from functools import cached_property

import pandas as pd

from notebooks.key_exchange.reading import (
    KeyExchangeReading,
    SetUpsOfCell,
    cells,
    longer_by,
    pooled,
    reading,
)
from remeasure.bench.base.errors import UserError
from remeasure.bench.ipsec.lifecycle import Retransmission
from remeasure.paper.analysis.estimates import NOTHING, Estimate
from remeasure.paper.analysis.lineage import Quoted
from remeasure.paper.analysis.models.lossy_set_up import CHARON, EXCHANGES, Path, SetUp, set_up
from remeasure.paper.analysis.texts import NO_NUMBER, estimate_text, fixed, number_text
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.words import words_of

_WORDS = words_of(__file__)
NAMES: dict[str, str] = _WORDS["names"]
SHORT, HYBRID = "x25519", "x25519-mlkem768"
COUNTS: dict[str, str] = _WORDS["counts"]
TIMEOUTS = (4.0, 2.0, 1.0, 0.5)
"""values of retransmit_timeout for which the model is asked, the default first [s]"""
FASTER = 1.0
"""the timeout that the answer compares with the default [s]"""
MODEL = "analysis.models.lossy_set_up"
SOURCES: dict[str, str] = _WORDS["sources"]
_QUOTED: dict[str, str] = _WORDS["quoted"]


class KeyExchange:
    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook = notebook
        notebook.summarise(estimator)
        self.exchanges = notebook.measured("exchange", EXCHANGES)
        self.paths = {network: self._path(network) for network in notebook.measured("network")}
        """network -> its round trip and loss"""
        self.clean = [n for n, path in self.paths.items() if not path.loss]
        self.lossy = {n: path for n, path in self.paths.items() if path.loss}
        self.far = max(self.clean, key=lambda n: self.paths[n].round_trip, default="")
        """the network of the longest round trip without loss; empty: there is none"""
        self.worst = max(
            self.lossy, key=lambda n: (self.lossy[n].loss, self.lossy[n].round_trip), default=""
        )
        """the network of most loss and the longest round trip; empty: there is none"""

    def _path(self, network: str) -> Path:
        """A path whose two directions are alike. Raises UserError for any other."""
        shaping = self.notebook.scenario.settings_where(network=network).shaping
        ways = [shaping[place].impairment for place in shaping]
        if not ways:
            return Path(0, 0)
        if len(ways) != 2 or ways[0] != ways[1] or ways[0].jitter_ms:
            raise UserError(f"network {network}: found {ways}, expected both ways alike, no jitter")
        return Path(2 * ways[0].delay_ms, ways[0].loss_percent / 100)

    # Set-ups and the model

    @cached_property
    def cells(self) -> dict[tuple[str, str], SetUpsOfCell]:
        """Exchange and network -> its set-ups."""
        found = cells(self.notebook.observations, ["exchange", "network"], "direct")
        return {(one.levels[0]["exchange"], one.levels[0]["network"]): one for one in found}

    def model(self, exchange: str, network: str, timeout: float = CHARON.timeout) -> SetUp:
        """The model's set-up; `timeout`: retransmit_timeout [s]."""
        timers = Retransmission(timeout=timeout)
        return set_up(EXCHANGES[exchange], self.paths[network], timers)

    @cached_property
    def reading(self) -> KeyExchangeReading:
        """The comparison with the model, by the rules of reading.py."""
        return reading([(cell, self.model(*where)) for where, cell in self.cells.items()])

    def mean(self, exchange: str, network: str) -> Estimate:
        """Mean delay of a set-up that succeeds [ms]."""
        cell = self.cells.get((exchange, network))
        return cell.mean() if cell else NOTHING

    def count(self, exchange: str, what: str) -> Estimate:
        """A count of COUNTS without loss, mean over the set-ups of a cell."""
        where = {"exchange": exchange, "network": self.far}
        return self.notebook.estimate(metric=COUNTS[what], probe="direct", where=where)

    def bytes_sent(self) -> dict[str, float]:
        """Exchange -> bytes of IKE of a set-up without loss, if measured."""
        found = {e: self.count(e, "bytes of IKE") for e in self.exchanges}
        return {exchange: counted.value for exchange, counted in found.items() if counted.n}

    def alike(self) -> SetUpsOfCell | None:
        """Set-ups, over the worst path, of all key exchanges that take two exchanges of one
        datagram each way: the model is the same for all."""
        short = [e for e in self.exchanges if EXCHANGES[e] == EXCHANGES[SHORT]]
        own = [self.cells[e, self.worst] for e in short if (e, self.worst) in self.cells]
        return pooled(own) if own else None

    # Tables

    def messages(self) -> pd.DataFrame:
        """Messages and time of each exchange, without loss."""
        delays = {f"set-up at {self.paths[n].round_trip:g} ms": n for n in self.clean}
        rows = [
            {"key exchange": NAMES[exchange]}
            | {column: whole(self.count(exchange, column)) for column in COUNTS}
            | {column: decimals(self.mean(exchange, n), 2) for column, n in delays.items()}
            for exchange in self.exchanges
        ]
        return pd.DataFrame(rows, dtype=object)

    def losses(self) -> pd.DataFrame:
        """Set-ups over lossy paths, measured and by the model."""
        rows = [
            {
                "round trip, loss": f"{path.round_trip:g} ms, {100 * path.loss:g} %",
                "key exchange": NAMES[exchange],
                "set-ups": str(cell.count),
                "failed": str(cell.failed),
                "mean, ms": estimate_text(cell.mean()),
                "model, ms": number_text(model.mean, 4),
                "over 1 s, %": estimate_text(cell.slow_share()),
                "model, %": number_text(100 * model.slow),
                "datagrams sent": fixed(cell.sent, 2),
                "model": fixed(model.sent, 2),
            }
            for network, path in self.lossy.items()
            for exchange in self.exchanges
            if (cell := self.cells.get((exchange, network)))
            for model in [self.model(exchange, network)]
        ]
        return pd.DataFrame(rows, dtype=object)

    def timeouts(self) -> pd.DataFrame:
        """The model with other values of retransmit_timeout; no rows without a lossy path."""
        rows = []
        for timeout in TIMEOUTS if self.worst else ():
            short, hybrid = (self.model(one, self.worst, timeout).mean for one in (SHORT, HYBRID))
            row = {
                "retransmit_timeout, s": f"{timeout:g}",
                f"{NAMES[SHORT]}: mean, ms": number_text(short, 4),
                "gives up after, s": number_text(Retransmission(timeout=timeout).gives_up_s),
                f"{NAMES[HYBRID]}: mean, ms": number_text(hybrid, 4),
            }
            rows.append(row)
        return pd.DataFrame(rows, dtype=object)

    def drawn(self) -> pd.DataFrame:
        """The chart's marks: columns row, level, value, low, high, model [ms], origin."""
        most = [n for n, p in self.lossy.items() if p.loss == self.lossy[self.worst].loss]
        networks = [self.far, *(n for n in most if n != self.worst), self.worst]
        rows = []
        for exchange, network in itertools.product(self.exchanges, networks):
            if cell := self.cells.get((exchange, network)):
                path = self.paths[network]
                loss = f"{100 * path.loss:g} % lost each way" if path.loss else "no loss"
                row = {"row": NAMES[exchange], "level": f"{path.round_trip:g} ms, {loss}"}
                model = {"model": self.model(exchange, network).mean}
                rows.append(row | cell.mean().columns() | model)
        return pd.DataFrame(rows)

    # Numbers

    def hand_over(self) -> None:
        results, far, worst = self.notebook.results, self.far, self.worst
        rtt = f"{self.paths[far].round_trip:g}" if far else NO_NUMBER
        results.words("FarRtt", rtt, "the scenario, ms")
        for name, exchange in _QUOTED.items():
            results.words(f"{name}Far", whole(self.mean(exchange, far)))
        for name, exchange in {"Short": SHORT, "Hybrid": HYBRID}.items():
            for what in ("exchanges", "datagrams"):
                results.words(f"{name}{what.capitalize()}", whole(self.count(exchange, what)))
            says = f"{MODEL}, retransmit_timeout of {FASTER:g} s: mean, ms"
            faster = number_text(self.model(exchange, worst, FASTER).mean) if worst else NO_NUMBER
            results.words(f"{name}Faster", faster, says)
        for name, exchange in (*_QUOTED.items(), ("Largest", "modp4096")):
            results.words(f"{name}Bytes", whole(self.count(exchange, "bytes of IKE")))
        self._with_loss()
        results.number("FirstWait", CHARON.timeout, 0, source="strongswan.conf(5), s")
        results.number("GivenUp", CHARON.gives_up_s, 0, source=f"{MODEL}: charon gives up, s")
        results.number("Faster", FASTER, 0, source="retransmit_timeout asked of the model, s")
        results.words("Reading", self.reading.words(), "notebooks.key_exchange.reading")
        compared = self.reading.lossless + self.reading.lossy
        results.number("Cells", compared, 0, source="cells compared with the model")

    def _with_loss(self) -> None:
        results, worst, alike = self.notebook.results, self.worst, self.alike()
        loss = f"{100 * self.paths[worst].loss:g}" if worst else NO_NUMBER
        results.words("Loss", loss, "the scenario, % each way")
        hybrid = self.cells.get((HYBRID, worst))
        found = {
            "ShortLossy": alike.mean() if alike else NOTHING,
            "ShortSlow": alike.slow_share() if alike else NOTHING,
            "HybridLossy": self.mean(HYBRID, worst),
            "HybridSlow": hybrid.slow_share() if hybrid else NOTHING,
            "HybridLonger": longer_by(hybrid, alike) if hybrid and alike else NOTHING,
            "RsaShortLossy": self.mean("rsa-x25519", worst),
            "RsaHybridLossy": self.mean("rsa-x25519-mlkem768", worst),
        }
        for name, estimate in found.items():
            results.words(name, estimate_text(estimate))
        counted = {where: cell for where, cell in self.cells.items() if where[1] in self.lossy}
        says = "set-ups over lossy paths"
        results.number("SetUps", sum(c.count for c in counted.values()), 0, source=says)
        failed = sum(cell.failed for cell in counted.values())
        results.count("Failed", failed, f"{says} that charon gave up")
        expected = sum(cell.count * self.model(*where).failed for where, cell in counted.items())
        says = f"{MODEL}: number of these set-ups that should fail"
        results.number("FailedModel", expected, 1, source=says)


def whole(found: Estimate) -> Quoted:
    """A count or a time that is the same, or nearly so, in all set-ups."""
    return decimals(found, 0) if found.n else Quoted(NO_NUMBER, [found.origin])


def decimals(found: Estimate, digits: int) -> Quoted:
    return Quoted(fixed(found.value, digits), [found.origin])
