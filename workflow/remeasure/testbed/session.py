"""A session: a period of measuring on the same hosts, none of which was restarted meanwhile."""

from collections.abc import Mapping
from dataclasses import dataclass

from remeasure.testbed.remote import Remote


@dataclass(frozen=True)
class Session:
    """Hosts that are ready, and the facts about them."""

    remotes: Mapping[str, Remote]
    """role -> connection"""
    facts: dict
    """facts stored in block.json: `guests` (back end, accelerator, processors, placement on
    the cores of the machine), `hosts` (role ->
    system, processor, versions of tools, ...), and for a lab `image`"""
