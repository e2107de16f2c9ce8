"""Scenario other-tunnels: ESP, WireGuard and OpenVPN between the same hosts, by instructions."""

import altair as alt
import pandas as pd

from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, at
from remeasure.paper.notebook.by_instructions import COST, DRAWN, LEVELS, RATE, packets
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.words import words_of

_WORDS = words_of(__file__)
TITLES: dict[str, str] = _WORDS["titles"]
OVER_WIREGUARD: Asked = {**COST, "quantity": "ratio", "to": {"tunnel": "wireguard"}}
PACKETS = packets(("64", "512", "1408"))
_ASKED: dict[str, str] = _WORDS["asked"]
NUMBERS = {
    **{
        f"{name}{level.title()}": at(OVER_WIREGUARD, tunnel=tunnel, instructions=level)
        for name, tunnel in _ASKED.items()
        for level in LEVELS
    },
    **{
        f"{name}Rate{level.title()}": at(RATE, tunnel=tunnel, instructions=level)
        for name, tunnel in {**_ASKED, "Wireguard": "wireguard", "Plain": "none"}.items()
        if name != "Program"
        for level in ("none", "all")
    },
}


def chart(notebook: ScenarioNotebook) -> alt.TopLevelMixin:
    """Processor time of the other tunnels of the kernel over WireGuard's, by instructions."""
    return asked.chart(
        notebook,
        notebook.titled("tunnel", _WORDS["short"]),
        notebook.titled("instructions", DRAWN),
        common=OVER_WIREGUARD,
        x_title="processor time over WireGuard's",
        faint=pd.DataFrame(columns=["row", "level", "value"]),
        legend="instructions",
        scale=alt.Scale(type="log", nice=False, padding=12),
        ticks=[0.5, 0.7, 1, 1.5, 2, 3],
        rule=1,
    )


def least(notebook: ScenarioNotebook, level: str) -> str:
    """The tunnels in the kernel of which none was shown to cost less at a level, in words."""
    tunnels = [one for one in notebook.measured("tunnel") if one not in _WORDS["not_ranked"]]
    found = asked.cheapest(notebook, at(COST, instructions=level), "tunnel", tunnels)
    return " or ".join(map(TITLES.__getitem__, found)) or "too few blocks to tell"


def hand_over(notebook: ScenarioNotebook) -> None:
    asked.hand_over(notebook, NUMBERS)
    says = "tunnels of the kernel of which none was shown to cost less"
    for level in LEVELS:
        notebook.results.words(f"Best{level.title()}", least(notebook, level), says)
