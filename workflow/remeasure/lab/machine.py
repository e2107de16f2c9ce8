"""What this machine lacks where its own kernel and tools are those of the hosts."""

from remeasure.lab.kind import BackendKind
from remeasure.testbed.readiness import Finding, Here, check_machine
from remeasure.testbed.tools import Tool


def findings_here(kind: BackendKind, tools: dict[str, Tool]) -> list[Finding]:
    """What hosts of this kind and a scenario with these `tools` need of this machine; empty for
    guests, which bring kernel and tools along."""
    return [] if kind.own_kernel else check_machine(Here(), {**kind.tools, **tools}, kind.modules)
