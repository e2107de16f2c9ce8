"""A stretch of measuring on the same hosts, none of which was restarted meanwhile."""

from collections.abc import Mapping
from dataclasses import dataclass

from remeasure.testbed.remote import Remote


@dataclass(frozen=True)
class Session:
    """Hosts that are ready, and what they are."""

    remotes: Mapping[str, Remote]
    """role -> connection"""
    facts: dict
    """stored in block.json: `guests` (back end, accelerator, processors), `hosts` (role -> what it
    is: system, processor, versions of tools, ...), and of a lab `image`"""
