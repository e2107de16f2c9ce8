"""Scenario esp-instructions: suites of ESP in the kernel, by its instructions."""

from typing import Any

import altair as alt
import pandas as pd
from pydantic import Field

from remeasure.bench.base import config
from remeasure.bench.base.paths import PUBLISHED
from remeasure.paper.analysis.models.suite_cost import ADVISED, REFERENCE, cheapest
from remeasure.paper.analysis.texts import estimate_text, number_text
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, at, each
from remeasure.paper.notebook.charts.suite_slopes import suite_slopes
from remeasure.paper.notebook.my_tunnel import NAMES as TUNNEL_SUITES
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

LEVELS = {"none": "no instructions", "aes": "AES and AVX2", "all": "all of the machine"}
"""level of factor instructions -> its title"""
_DRAWN = {"none": "none", "aes": "AES-NI, AVX2", "all": "all"}
COST: Asked = {"metric": "cpu_per_megabyte", "probe": "tcp"}
RATE: Asked = {"metric": "goodput", "probe": "tcp"}
OVER_PLAIN: Asked = {**COST, "quantity": "ratio", "to": {"suite": "none"}}
OVER_REFERENCE: Asked = {**COST, "quantity": "ratio", "to": {"suite": REFERENCE}}
GAIN: Asked = {
    **COST, "quantity": "ratio", "of": {"instructions": "none"}, "to": {"instructions": "all"},
}  # fmt: skip
"""cost without instructions over the cost with all"""
PACKETS = {
    f"{payload} B": {"metric": "cpu_per_packet", "probe": "udp", "where": {"payload": payload}}
    for payload in ("64", "512", "1344")
}
_SUITES = {"Gcm": REFERENCE, "Chacha": "chacha20poly1305", "TripleDes": "3des-sha1"}
NUMBERS = {
    **{
        f"{name}Rate{level.title()}": at(RATE, suite=suite, instructions=level)
        for name, suite in _SUITES.items()
        for level in LEVELS
    },
    **{
        f"Chacha{level.title()}": at(OVER_REFERENCE, suite=_SUITES["Chacha"], instructions=level)
        for level in LEVELS
    },
    "TripleDesAll": at(OVER_REFERENCE, suite=_SUITES["TripleDes"], instructions="all"),
    "GcmOverPlainAll": at(OVER_PLAIN, suite=REFERENCE, instructions="all"),
    "PlainGain": at(GAIN, suite="none"),
}
"""name of a number -> its question"""


def columns(notebook: ScenarioNotebook, question: Asked) -> dict[str, Asked]:
    """A column or mark for each level of instructions that was measured."""
    levels = notebook.measured("instructions", LEVELS)
    return {LEVELS[level]: at(question, instructions=level) for level in levels}


def slopes(notebook: ScenarioNotebook) -> alt.TopLevelMixin:
    """Processor time per byte by suite and level; 1 ms per megabyte is 1 ns per byte."""
    levels = notebook.measured("instructions", _DRAWN)
    rows = {_DRAWN[level]: at(COST, instructions=level) for level in levels}
    drawn = asked.points(notebook, rows, each("suite", notebook.measured("suite")))
    drawn = drawn.rename(columns={"row": "level", "level": "suite"})
    return suite_slopes(drawn.assign(panel="ESP in the kernel"))


def _least(notebook: ScenarioNotebook, level: str) -> list[str]:
    question = at(OVER_REFERENCE, instructions=level)
    return cheapest({suite: notebook.estimate(at(question, suite=suite)) for suite in ADVISED})


def least(notebook: ScenarioNotebook, level: str) -> str:
    """The advised suites that cost least at a level, in words."""
    return " or ".join(_least(notebook, level)) or "too few blocks to tell"


def least_in_words(notebook: ScenarioNotebook) -> str:
    """The beginning of the caption of the costs."""
    ends = {"all": "all instructions", "none": "no instructions"}
    return "; ".join(
        f"{' or '.join(TUNNEL_SUITES[suite] for suite in _least(notebook, level)) or 'no suite'} "
        f"costs least with {ends[level]}"
        for level in notebook.measured("instructions", ends)
        if level in ends
    )


class Elsewhere(config.Strict):
    """A ratio of rates that others published for a machine of their own."""

    name: str
    """part of the names of the numbers in texts"""
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
    """differences of the source's machine"""

    def ours(self, level: str) -> Asked:
        """The same ratio of our rates at a level of instructions."""
        at_level = {"instructions": level}
        return {**RATE, "quantity": "ratio", "of": at_level | self.of, "to": at_level | self.to}


class _File(config.Strict):
    ratios: list[Elsewhere]


FILE = PUBLISHED / "elsewhere" / "esp-instructions.yaml"
SOURCES = dict.fromkeys(
    ("source", "rates", "ratio", "what differs there"), str(FILE.relative_to(PUBLISHED.parents[1]))
)


def published() -> list[Elsewhere]:
    """All sources in FILE. Raises UserError."""
    return config.load(_File, FILE).ratios


def elsewhere(notebook: ScenarioNotebook) -> pd.DataFrame:
    """Each published ratio, and the same ratio of our rates at the levels with AES-NI."""
    levels = [level for level in notebook.measured("instructions", LEVELS) if level != "none"]
    return pd.DataFrame(
        [
            {
                "source": f"{one.source}: {one.machine}",
                "rates": one.printed,
                "ratio": number_text(one.ratio, 2),
            }
            | {f"ours, {LEVELS[level]}": notebook.text(one.ours(level)) for level in levels}
            | {"what differs there": one.differs}
            for one in published()
        ],
        dtype=object,
    )


def hand_over(notebook: ScenarioNotebook) -> None:
    """Keep numbers for paper and site."""
    asked.hand_over(notebook, NUMBERS)
    says = "suites of RFC 8221 of which none was shown to cost less, in ESP of the kernel"
    for level in LEVELS:
        notebook.results.words(f"Best{level.title()}", least(notebook, level), says)
    for one in published():
        said = number_text(one.ratio, 2)
        source = f"{one.source} ({one.url})"
        notebook.results.words(f"Others{one.name}", said, source)
        asked.hand_over(notebook, {f"Ours{one.name}": one.ours("aes")})


def tunnel_part(notebook: ScenarioNotebook) -> dict[str, Any]:
    """The part of the site's page My tunnel: the `machine` that measured; by level and suite the
    rate [Mbit/s] as text, and the processor time over the time of REFERENCE as number, as text, and
    whether its interval includes 1."""
    levels = notebook.measured("instructions", LEVELS)

    def ratios(level: str) -> dict[str, dict[str, Any]]:
        question = at(OVER_REFERENCE, instructions=level)
        found = {
            suite: notebook.estimate(at(question, suite=suite))
            for suite in TUNNEL_SUITES
            if suite != REFERENCE
        }
        return {
            suite: {
                "ratio": times.value,
                "text": estimate_text(times),
                "open": not (times.high < 1 or times.low > 1),
            }
            for suite, times in found.items()
            if times.n
        }

    rates = {
        level: {
            suite: notebook.text(at(RATE, suite=suite, instructions=level))
            for suite in TUNNEL_SUITES
        }
        for level in levels
    }
    ratios_of = {level: ratios(level) for level in levels}
    return {"machine": notebook.where["machine"], "rates": rates, "levels": ratios_of}
