"""Records next to archives of blocks in virtual time: how often each was measured, where, and the
result each time. block-01.zip has the same bytes each time; block-01.machines.json lists the
machines on which it was measured."""

from pathlib import Path

from pydantic import Field

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import file_hash, read_json
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.staging import write_json
from remeasure.bench.lab.testbeds import Testbed, VirtualTestbed

FEWEST = 2
"""times that a block is measured before it is released"""


class Measurement(config.Strict):
    """One measurement of a block in virtual time."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """hash of the archive that it gave, in hexadecimal"""
    start: str
    """when it began, by the clock of the machine (UTC)"""
    seconds: float = Field(ge=0)
    """how long it took on the machine [s]; of a block that was resumed, its last part"""
    virtual_seconds: float = Field(ge=0)
    """how long its trials took by their own clocks [s]"""
    trials: int = Field(ge=0)
    """number of trials measured then; fewer than the block has if it was resumed"""
    load: float = Field(ge=0)
    """processes that ran or waited for a processor in the minute before its end, on average"""
    software: str
    """commit of this repository"""
    machine: dict[str, str | int]
    """processor, its instructions for cryptography, number of processors, kernel"""


class MachinesFile(config.Strict):
    """The content of block-NN.machines.json."""

    measured: list[Measurement] = Field(min_length=1)
    """every measurement of the block, the first one first"""


def machines_path(archive: Path) -> Path:
    return archive.with_suffix(".machines.json")


def read_machines(archive: Path) -> list[Measurement]:
    """The measurements of a block; none if there is no such file. Raises UserError."""
    path = machines_path(archive)
    if not path.exists():
        return []
    document = read_json(str(path), path.read_bytes())
    return config.validate(MachinesFile, document, str(path)).measured


def add_measurement(archive: Path, one: Measurement) -> None:
    """Enter a measurement of a block. Raises UserError."""
    every = [*read_machines(archive), one]
    write_json(machines_path(archive), MachinesFile(measured=every).model_dump())


def require_repeated(archive: Path) -> None:
    """Raises UserError unless a block was measured at least twice, each time with its present
    bytes."""
    now = file_hash(archive)
    same = sum(one.sha256 == now for one in read_machines(archive))
    if same < FEWEST:
        campaign, scenario = archive.parent.parent.name, archive.parent.name
        number = archive.stem.removeprefix("block-")
        raise UserError(
            f"{archive}: measured {same} times with these bytes, expected {FEWEST} or more of a "
            f"block in virtual time; run: remeasure repeat {campaign} {scenario} {int(number)}"
        )


def fits(scenario: Scenario, testbed: Testbed) -> bool:
    """Whether a testbed can answer a scenario's question."""
    return not (isinstance(testbed, VirtualTestbed) and scenario.design.about == "processor")


def require_fit(scenario: Scenario, testbed: Testbed) -> None:
    """Raises UserError where it cannot."""
    if not fits(scenario, testbed):
        raise UserError(
            f"{scenario.name}: testbed {testbed.name}: in virtual time computing takes no "
            "time, and this scenario measures it (about: processor); use another testbed"
        )
