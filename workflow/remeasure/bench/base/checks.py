"""Checks: conditions for a trial to count, as found and as expected."""

from dataclasses import dataclass

KINDS = {
    "eap-identity": "EAP identity",
    "ike-sa": "IKE_SA",
    "child-sa": "suite and mode",
    "rules": "rules in force",
    "tunnel": "kind and settings of the tunnel",
    "replay-window": "replay window",
    "sa-packets": "SA carried packets",
    "per-cpu": "SA of each processor",
    "steering": "steering",
    "offload": "receive offload",
    "reassembly": "reassembly of fragments",
    "probe-sa": "probe against SA",
    "probe-interface": "probe against interface",
    "no-ipsec": "no SA, no policy",
    "link": "link",
    "authentication": "authentication",
    "chain": "chain",
    "messages": "number of messages",
    "echo": "echo waited",
    "placement": "cores of guests",
    "versions": "versions of older programs",
    "settled": "host as before",
    "clock-rate": "clock as fast as ours",
    "programs": "nothing else ran",
    "foreign-packets": "nothing else was sent",
    "changes": "nothing changed meanwhile",
    "policy": "policies",
    "lifecycle": "renewal and loss",
    "clear-text": "nothing in the clear",
    "instructions": "instructions of the processor",
    "logs": "logs of one run",
}
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
