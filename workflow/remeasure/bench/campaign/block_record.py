"""Required contents of a block archive, whatever tools wrote its logs: block.json with the fields
below, and for each planned trial a trial.json with the fields of record.py. Further facts of hosts,
image and machine are not listed. Hashes show that a file was changed later (archive.py,
release.py)."""

from typing import Annotated, Any, NotRequired

from pydantic import BaseModel, Field, ValidationError, with_config
from typing_extensions import TypedDict

from remeasure.bench.base.config import EXACT, exact, sentence
from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.record import Count, Ns
from remeasure.bench.campaign.scenario import Cell
from remeasure.bench.testbed.host_kind import Nature

_with_facts = with_config({**EXACT, "extra": "allow"})
"""for facts of a host or machine: the fields below, and further ones"""
Kernel = Annotated[str, Field(pattern=r"^\S+ \S")]
"""name and version, as uname(1) prints them"""


@_with_facts
class Guests(Nature):
    """The nature of the hosts."""

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


_SHOWN = 3
"""number of wrong fields in a message"""


def check_fields(model: type[BaseModel], source: str, document: object) -> None:
    """Check a document; `source` is its name in messages. Raises UserError naming the field, the
    value found and the expected one."""
    if not isinstance(document, dict):
        raise UserError(f"{source}: found a JSON {type(document).__name__}, expected an object")
    try:
        model.model_validate(document)
    except ValidationError as error:
        wrong = [sentence(model, one) for one in error.errors()]
        more = [f"and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
        raise UserError(f"{source}: {'; '.join([*wrong[:_SHOWN], *more])}") from None
