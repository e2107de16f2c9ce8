"""What this machine must have where hosts use its kernel and tools."""

from remeasure.bench.lab.kind import BackendKind
from remeasure.bench.testbed.watching.readiness import Finding, Here, Needs, check_machine


def findings_here(kind: BackendKind, needs: Needs) -> list[Finding]:
    """Check this machine for what hosts of this kind, and a scenario with these needs, require of
    it. Empty for guests, which bring their own kernel and tools."""
    return [] if kind.own_kernel else check_machine(Here(), Needs(kind.tools, kind.modules) | needs)
