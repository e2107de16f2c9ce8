"""What a condition of the paper can name: numbers and texts that were handed over, statements of
the ledger, literals."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from remeasure.bench.base.names import Name, scenario_names
from remeasure.paper.analysis.entry import Entry, Part
from remeasure.paper.notebook.number import Number, Numbers

LITERAL = re.compile(r"[-+]?\d+(\.\d+)?")
LEDGER = "claims"
"""the notebook of all statements"""


class Unknown(LookupError):
    """A name that no notebook hands over, and that none would."""


class NotMeasured(LookupError):
    """A name of a notebook that was not built."""


@dataclass(frozen=True)
class Quantity:
    """A number with its interval, or a text."""

    text: str
    """as the paper prints it"""
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    """the ends of the interval; NaN without one"""

    @property
    def has_interval(self) -> bool:
        return not (math.isnan(self.low) or math.isnan(self.high))

    def scaled(self, factor: float) -> "Quantity":
        """The quantity, `factor` (above 0) times."""
        numbers = (factor * number for number in (self.value, self.low, self.high))
        return Quantity(f"{factor:g} times {self.text}", *numbers)

    def __str__(self) -> str:
        if not self.has_interval:
            return self.text
        return f"{self.value:.6g} [{self.low:.6g}, {self.high:.6g}]"


class Quantities:
    """All that was handed over: numbers by macro (publish.latex.read_numbers), statements by
    id (entries of the ledger)."""

    def __init__(
        self,
        numbers: Numbers,
        claims: Mapping[str, Entry],
        built: set[str],
    ):
        """`built`: the notebooks that were built."""
        self._numbers, self._claims = numbers, claims
        self._built = built
        self._notebooks = {Name(one).prefix: Name(one).notebook for one in scenario_names()}
        self._notebooks |= {Name.of_notebook(one).prefix: one for one in (LEDGER, *built)}

    def has(self, name: str) -> bool:
        """True for a number or a statement that was handed over."""
        return name in self._numbers or name in self._claims

    def notebook_of(self, name: str) -> str:
        """The notebook that hands over a number or a statement. Raises Unknown."""
        if name in self._claims:
            return Name(self._claims[name]["scenario"]).notebook
        prefix = max(
            (one for one in self._notebooks if re.match(rf"{one}[A-Z]", name)), key=len, default=""
        )
        if not prefix:
            raise Unknown(name)
        return self._notebooks[prefix]

    def claim(self, name: str) -> Entry:
        """The ledger's entry of a statement. Raises Unknown, NotMeasured."""
        if name in self._claims:
            return self._claims[name]
        scenario = _scenario_of_claim(name)
        if scenario is None or Name(scenario).notebook in self._built:
            raise Unknown(name)
        raise NotMeasured(name)

    def find(self, name: str) -> Quantity:
        """A literal, a number or text by its macro without backslash, or the estimate of a
        statement that has one. Raises Unknown, NotMeasured."""
        if LITERAL.fullmatch(name):
            return Quantity(name, float(name))
        if "-" in name:
            return _of_claim(name, self.claim(name))
        if name not in self._numbers:
            raise NotMeasured(name) if self.notebook_of(name) not in self._built else Unknown(name)
        return _of_number(self._numbers[name])


def _of_number(number: Number) -> Quantity:
    text = number["text"]
    value = number.get("value", float(text) if LITERAL.fullmatch(text) else None)
    if value is None:
        return Quantity(text)
    if "low" not in number:
        return Quantity(text, value)
    return Quantity(text, value, *_ends(number))


def _of_claim(name: str, entry: Entry) -> Quantity:
    found = [(test, test["value"]) for test in entry["tests"] if test["value"] is not None]
    if len(found) != 1:
        raise Unknown(f"{name} (it has {len(found)} estimates; name a number)")
    ((test, value),) = found
    return Quantity(test["quantity"], value, *_ends(test))


def _ends(of: Number | Part) -> tuple[float, float]:
    low, high = of["low"], of["high"]
    return -math.inf if low is None else low, math.inf if high is None else high


def _scenario_of_claim(name: str) -> str | None:
    """The scenario of whose trials a statement is asked; None for one that no study makes."""
    # Whole studies take seconds to read, and are read only where one is not built.
    from remeasure.bench.claims.published import load_published, studies

    for study in map(load_published, studies()):
        for claim in study.claims:
            if claim.id == name:
                return claim.scenario or study.scenario
    return None
