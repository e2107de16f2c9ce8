"""Scenario suite-cost: processor time of suites per packet, by payload and instructions."""

from typing import Any

from remeasure.bench.campaign.release import released_files
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, at, joined
from remeasure.paper.notebook.by_instructions import LEVELS
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

TRANSPORTS = {"udp": "UDP", "tcp": "TCP"}
PACKET: Asked = {"metric": "cpu_per_packet", "probe": "flow"}
USUAL = at(PACKET, transport="udp", payload="1344")
"""UDP of a size that fits one packet with every suite"""
OVER_NONE: Asked = {**PACKET, "quantity": "ratio", "to": {"suite": "none"}}
GAIN: Asked = {"quantity": "ratio", "of": {"instructions": "none"}, "to": {"instructions": "all"}}
"""cost without instructions over the cost with all"""
_SUITES = {"Gcm": "aes128gcm16", "TripleDes": "3des-sha1"}
NUMBERS = {
    f"{name}{level.title()}": at(question, suite=suite, instructions=level)
    for level in ("none", "all")
    for name, suite, question in (
        *((name, suite, USUAL) for name, suite in {**_SUITES, "Plain": "none"}.items()),
        *((f"{name}Over", suite, OVER_NONE) for name, suite in _SUITES.items()),
    )
}


def by_world(notebook: ScenarioNotebook) -> dict[str, Asked]:
    """Title -> question for the cost of a packet, by transport and measured level."""
    levels = notebook.titled("instructions", LEVELS)
    return {
        f"{transport}, {title}": joined(PACKET, part, {"at": {"transport": name}})
        for name, transport in TRANSPORTS.items()
        for title, part in levels.items()
    }


def payloads(notebook: ScenarioNotebook) -> dict[str, Any]:
    """A column for each payload."""
    found = sorted(set(notebook.observations["payload"]) - {""}, key=int)
    return asked.each("payload", found, "{} B")


def hand_over(notebook: ScenarioNotebook) -> None:
    """Keep numbers for the answer."""
    asked.hand_over(notebook, NUMBERS)
    campaigns = {block.parent.parent.name for block in notebook.blocks}
    preview = any(released_files(campaign) is None for campaign in campaigns)
    said = "**Preview, from a campaign that is not released.** " if preview else ""
    notebook.results.words("Standing", said, "manifest.json of the campaigns")
