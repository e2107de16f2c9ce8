"""What must be so for a trial to count: found against expected."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One thing that must be so."""

    name: str
    passed: bool
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.name}: found {self.found}, expected {self.expected}"


def equal(name: str, found, expected) -> Check:
    return Check(name, found == expected, str(found), str(expected))
