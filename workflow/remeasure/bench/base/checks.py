"""Checks: conditions for a trial to count, as found and as expected."""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from remeasure.bench.base.files import read_yaml

KINDS = cast(dict[str, str], read_yaml(Path(__file__).with_name("checks.yaml")))
"""kind of check, as stored in trial.json -> its title in tables, in the order of their columns"""


@dataclass(frozen=True)
class Check:
    """One comparison of a host's or log's answer with the cell's settings."""

    kind: str
    """a key of KINDS"""
    name: str
    """the subject and place in words; not to be parsed"""
    passed: bool
    found: str
    expected: str

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise KeyError(f"check {self.name}: kind {self.kind} is not one of {', '.join(KINDS)}")

    def __str__(self) -> str:
        return f"{self.name}: found {self.found}, expected {self.expected}"


def equal(kind: str, name: str, found: object, expected: object) -> Check:
    """Passed if `found == expected`; both are stored as text."""
    return Check(kind, name, found == expected, str(found), str(expected))
