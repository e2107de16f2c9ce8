"""Scenario suite-cost: processor time of suites, by payload and instructions."""

from typing import Any

from remeasure.bench.campaign.release import released_files
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, at, joined
from remeasure.paper.notebook.by_instructions import LEVELS
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

TRANSPORTS = {"udp": "UDP", "tcp": "TCP"}
PACKET: Asked = {"metric": "cpu_per_packet", "probe": "flow"}
BYTE: Asked = {"metric": "cpu_per_megabyte", "probe": "flow"}
COSTS = {"udp": ("per packet (µs)", PACKET), "tcp": ("per megabyte (ms)", BYTE)}
"""transport -> the cost by which suites are compared: TCP may put several writes into a packet"""
USUAL = at(PACKET, transport="udp", payload="1344")
"""UDP of a size that fits one packet with every suite"""
STEADY: Asked = {"metric": "cpu_per_packet", "probe": "steady"}
"""the same size at a rate that every suite carries"""
OVER_NONE: Asked = {**BYTE, "quantity": "ratio", "to": {"suite": "none"}}
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
    """Title -> question for the cost, by transport and measured level."""
    levels = notebook.titled("instructions", LEVELS)
    return {
        f"{TRANSPORTS[name]} {what}, {title}": joined(cost, part, {"at": {"transport": name}})
        for name, (what, cost) in COSTS.items()
        for title, part in levels.items()
    }


def by_load(notebook: ScenarioNotebook) -> dict[str, Asked]:
    """Title -> question for the cost of a datagram, by load and measured level."""
    return {
        f"{load}, {title}": joined(question, part)
        for title, part in notebook.titled("instructions", LEVELS).items()
        for load, question in (("saturation", USUAL), ("fixed rate", STEADY))
    }


def payloads(notebook: ScenarioNotebook) -> dict[str, Any]:
    """A column for each payload."""
    return asked.each("payload", notebook.numbers("payload"), "{} B")


def hand_over(notebook: ScenarioNotebook) -> None:
    asked.hand_over(notebook, NUMBERS)
    campaigns = {block.parent.parent.name for block in notebook.blocks}
    preview = any(released_files(campaign) is None for campaign in campaigns)
    said = "**Preview, from a campaign that is not released.** " if preview else ""
    notebook.results.words("Standing", said, "manifest.json of the campaigns")
