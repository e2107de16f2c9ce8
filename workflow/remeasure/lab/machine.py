"""What this machine lacks where its own kernel and tools are those of the hosts."""

from remeasure.lab.kind import BackendKind
from remeasure.testbed.readiness import Finding, Here, Needs, check_machine


def findings_here(kind: BackendKind, needs: Needs) -> list[Finding]:
    """What hosts of this kind, and a scenario with these needs, need of this machine; empty for
    guests, which bring kernel and tools along."""
    return [] if kind.own_kernel else check_machine(Here(), Needs(kind.tools, kind.modules) | needs)
