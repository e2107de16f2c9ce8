"""Ratios of suites that others published for machines of their own, beside ours."""

import pandas as pd
from pydantic import Field

from remeasure import config
from remeasure.analysis.estimates import Estimate
from remeasure.analysis.texts import estimate_text as text
from remeasure.analysis.texts import number_text
from remeasure.notebook.scenarios.esp_instructions import LEVELS, RATE, EspInstructions
from remeasure.paths import PUBLISHED

FILE = PUBLISHED / "elsewhere" / "esp-instructions.yaml"
_IN_PAPER = ("GcmCbc", "GcmPlain")
"""names of the ratios that the paper quotes"""
_WITH_AES = ("aes", "all")
"""levels of factor instructions that a machine with AES-NI may be like"""


class Elsewhere(config.Strict):
    """One published ratio of rates, and the cells that ask the same here."""

    name: str
    """part of the names of the numbers that text quotes"""
    source: str
    url: str
    machine: str
    printed: str
    """the rates, as the source gives them"""
    ratio: float = Field(gt=0)
    of: dict[str, str]
    to: dict[str, str]
    """levels of factors of the two cells; without instructions, the level that is asked"""
    differs: str
    """what the source's machine has otherwise"""


class _File(config.Strict):
    ratios: list[Elsewhere]


def published() -> list[Elsewhere]:
    """All that FILE has. Raises UserError."""
    return config.load(_File, FILE).ratios


def beside(trials: EspInstructions) -> pd.DataFrame:
    """Each published ratio, and the same ratio of our rates by level of instructions."""
    levels = [level for level in _WITH_AES if level in trials.levels]
    return pd.DataFrame(
        [
            {
                "source": f"{one.source}: {one.machine}",
                "rates": one.printed,
                "ratio": number_text(one.ratio, 2),
            }
            | {f"ours, {LEVELS[level]}": text(_ours(trials, one, level)) for level in levels}
            | {"what differs there": one.differs}
            for one in published()
        ],
        dtype=object,
    )


def quote(trials: EspInstructions) -> None:
    """Hand over the ratios that text quotes, and ours with AES-NI and AVX2."""
    results = trials.notebook.results
    for one in published():
        paper, said = one.name in _IN_PAPER, number_text(one.ratio, 2)
        results.words(f"Others{one.name}", said, f"{one.source} ({one.url})", paper=paper)
        results.words(f"Ours{one.name}", text(_ours(trials, one, _WITH_AES[0])), paper=paper)


def _ours(trials: EspInstructions, one: Elsewhere, level: str) -> Estimate:
    at = {"instructions": level}
    return trials.notebook.estimate(**RATE, quantity="ratio", of=at | one.of, to=at | one.to)
