"""Whether a trial was disturbed so much that it is suspect."""

from typing import Literal

from remeasure.testbed.load import Load

LIMITS: dict[Literal["foreign", "steal"], float] = {"foreign": 0.10, "steal": 0.05}
"""kind of load -> the share of all cores above which a trial is suspect. `foreign` is what other
processes used, `steal` what a hypervisor took (remeasure.testbed.load)."""


def doubts(load: Load) -> list[str]:
    """The reasons why a trial with this load is suspect, one line each; empty if it is not."""
    return [
        f"{kind} processor use {load[kind]:.0%}, expected at most {limit:.0%}"
        for kind, limit in LIMITS.items()
        if load[kind] > limit
    ]
