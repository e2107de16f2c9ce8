"""The catalogue of faults: each YAML file next to this one is a group, its faults are data. A fault
is injected into a ground (grounds/), the group's command runs there, and the result is compared
with the catalogue's expectation. For every fault, the runner also asserts that no traceback is
shown, that no process and no temporary file is left, and that no finished trial is lost."""

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from remeasure.bench.base import config

FOLDER = Path(__file__).parent

Ending = Literal["refused", "rejected", "suspect", "accepted", "works", "interrupted"]
"""refused: the command ends with a non-zero status and one line with the reason; nothing is
written. rejected, suspect, accepted: a block is packed; the verdict of the trial that met the
fault. works: the command does its work in spite of the fault, with status 0. interrupted: the
command ends with one line, finished work is kept, and when it is run again without the fault it
goes on."""


class Fault(config.Strict):
    """One fault."""

    fault: str
    """the fault, for people"""
    inject: dict[str, object] = {}
    """injection -> its argument, in order; injections/ has one function for each"""
    run: list[str] | None = None
    """command instead of the group's; {name} stands for a name of the ground"""
    during: str | None = None
    """name of the probe in whose first run a ground of guests injects the fault, or `boot` of the
    lab, or `pack` of the block; None: before the command"""
    after_s: float = Field(0.3, ge=0)
    """time from the beginning of that run to the fault [s]"""
    each_attempt: bool = False
    """inject it again when the trial is measured again"""
    ends: Ending
    says: str = ""
    """regular expression that the message, or a reason of the trial, matches; a trial that was
    measured again has that as a reason, too"""
    whole: bool = False
    """it takes long, so it runs only with --whole-catalogue"""
    needs: list[str] = []
    """programs of this machine without which it cannot be injected"""


class Group(config.Strict):
    """One file of the catalogue."""

    title: str
    ground: str
    """name of a ground, as its module in grounds/ registers it"""
    run: list[str]
    faults: dict[str, Fault]

    @model_validator(mode="after")
    def _explain_themselves(self) -> "Group":
        for name, fault in self.faults.items():
            if fault.ends not in ("works", "accepted") and not fault.says:
                raise ValueError(f"{name}: a fault that ends as {fault.ends} needs `says`")
        return self


def groups() -> dict[str, Group]:
    """Every group, by the name of its file."""
    return {path.stem: config.load(Group, path) for path in sorted(FOLDER.glob("*.yaml"))}
