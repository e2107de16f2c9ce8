"""A session: a period of measuring on the same hosts, none of which was restarted meanwhile."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.steady import MachineClock, RecordClock


@dataclass(frozen=True)
class Session:
    """Hosts that are ready, and the facts about them."""

    remotes: Mapping[str, Remote]
    """role -> connection"""
    facts: dict[str, Any]
    """facts stored in block.json: `guests` (back end, accelerator, processors, placement on
    the cores of the machine), `hosts` (role ->
    system, processor, versions of tools, ...), for a lab `image`, and where it is not this
    machine's to tell, `machine`"""
    clock: RecordClock = field(default_factory=MachineClock)
    """the clock of records"""
