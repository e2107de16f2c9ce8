"""The record of a block: block.json in a block archive. An archive that is read must have it
(structure.py); further facts of hosts, image and machine are not listed here."""

from typing import Annotated, Any, NotRequired

from pydantic import Field, with_config
from typing_extensions import TypedDict

from remeasure.bench.base.config import EXACT, exact
from remeasure.bench.campaign.record import Count, Ns
from remeasure.bench.campaign.scenario import Cell
from remeasure.bench.testbed.host_kind import Nature

_with_facts = with_config({**EXACT, "extra": "allow"})
"""of what a host or machine tells: fields that are listed here, and further facts"""
Kernel = Annotated[str, Field(pattern=r"^\S+ \S")]
"""name and version, as uname(1) prints them"""


@_with_facts
class Guests(Nature):
    """What the hosts were."""

    backend: str
    """name of the back end that made them"""
    accelerator: str


@_with_facts
class HostFacts(TypedDict):
    """One host."""

    cpus: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,4}$")]
    """number of its processors, as it printed it"""
    kernel: Kernel


@_with_facts
class MachineFacts(TypedDict):
    """The machine that measured."""

    cpus: Annotated[int, Field(ge=1, lt=2**16)]
    cpu: str
    kernel: Kernel


@_with_facts
class SessionRecord(TypedDict):
    """The hosts from one start to their end. A block has several if it was interrupted, or if its
    cells differ in the processors of their guests."""

    start_ns: Ns
    end_ns: NotRequired[Ns]
    """end of its last trial so far; missing until there is one"""
    start: str
    """`start_ns` in words (UTC)"""
    software: str
    """commit of this repository"""
    testbed: dict[str, Any]
    guests: Guests
    hosts: dict[str, HostFacts]
    """role -> host"""
    machine: MachineFacts


@exact
class BlockRecord(TypedDict):
    """The whole of block.json."""

    format: NotRequired[Count]
    """version of the format of the archive"""
    campaign: str
    scenario: str
    block: Annotated[Count, Field(ge=1)]
    profile: str
    seed: int
    order: Annotated[list[Cell], Field(min_length=1)]
    """the cells in the order of the trials"""
    sessions: list[SessionRecord]
    """none if no trial could be run"""
