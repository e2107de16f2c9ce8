"""Shared by scenarios esp-instructions and other-tunnels: their levels of instructions, and ratios
of rates that others published (data/published/elsewhere)."""

from collections.abc import Iterable

import pandas as pd
from pydantic import Field

from remeasure.bench.base import config
from remeasure.bench.base.paths import PUBLISHED
from remeasure.paper.analysis.texts import number_text
from remeasure.paper.notebook.asked import Asked
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

LEVELS = {"none": "no instructions", "aes": "AES and AVX2", "all": "all instructions"}
"""level of factor instructions -> its title"""
DRAWN = {"none": "none", "aes": "AES-NI, AVX2", "all": "all"}
"""the same in charts"""
COST: Asked = {"metric": "cpu_per_megabyte", "probe": "tcp"}
RATE: Asked = {"metric": "goodput", "probe": "tcp"}


def packets(payloads: Iterable[str]) -> dict[str, Asked]:
    """A column for each payload [bytes]: processor time per packet."""
    cost: Asked = {"metric": "cpu_per_packet", "probe": "udp"}
    return {f"{payload} B": {**cost, "where": {"payload": payload}} for payload in payloads}


def columns(notebook: ScenarioNotebook, question: Asked) -> dict[str, Asked]:
    """A column for each level of instructions that was measured."""
    return notebook.titled("instructions", LEVELS, question)


class Elsewhere(config.Strict):
    """A ratio of rates that others published for machines of their own."""

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
    """levels of factors of the two nearest cells; without instructions, the level that is asked"""
    differs: str
    """differences of the source's machine"""

    def ours(self, level: str) -> Asked:
        """The same ratio of our rates at a level of instructions."""
        of, to = ({"instructions": level} | cell for cell in (self.of, self.to))
        return {**RATE, "quantity": "ratio", "of": of, "to": to}


class _File(config.Strict):
    ratios: list[Elsewhere]


def published(scenario: str) -> list[Elsewhere]:
    """All ratios in data/published/elsewhere/<scenario>.yaml. Raises UserError."""
    return config.load(_File, PUBLISHED / "elsewhere" / f"{scenario}.yaml").ratios


def elsewhere(notebook: ScenarioNotebook, ours: dict[str, str]) -> pd.DataFrame:
    """Each published ratio, and the same of our rates; `ours`: heading -> level of instructions."""
    rows = [
        {
            "source": f"{one.source}: {one.machine}",
            "rates": one.printed,
            "ratio": number_text(one.ratio, 2),
            **{heading: notebook.text(one.ours(level)) for heading, level in ours.items()},
            "what differs there": one.differs,
        }
        for one in published(notebook.name)
    ]
    return pd.DataFrame(rows, dtype=object)


def sources(scenario: str) -> dict[str, str]:
    """Column of the table `elsewhere` -> the file that its numbers are from."""
    columns = ("source", "rates", "ratio", "what differs there")
    return dict.fromkeys(columns, f"data/published/elsewhere/{scenario}.yaml")
