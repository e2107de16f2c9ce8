"""The back ends of the lab by name, and the hosts that one of them makes."""

from dataclasses import dataclass, replace

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.lab import namespace, netns, qemu, uml
from remeasure.bench.lab.guest import BackendKind, LabNetwork, Make
from remeasure.bench.lab.namespace import require_programs
from remeasure.bench.lab.placement import Choice, Placement, Rule, place, usable_cores
from remeasure.bench.testbed.treatments.instructions import ANY, Instructions, Wanted
from remeasure.bench.testbed.watching.readiness import Finding, Here, Needs, check_machine

# The first one of these that can run stands in for a back end whose hosts have one processor.
KINDS = (uml.KIND, uml.INSTRUCTIONS_KIND, qemu.KIND, uml.SMP_KIND, netns.KIND)
BACKENDS: dict[str, BackendKind] = {kind.name: kind for kind in KINDS}


def processors(kind: BackendKind, cpus: int | None, placement: Choice) -> tuple[int, Rule]:
    """Processors of each host, of which a scenario asks for `cpus` (None: any number), and the rule
    by which hosts are placed. Hosts that share the kernel of this machine also share its numbers of
    processors, by which an SA or a queue is chosen. Hosts with a wanted number of processors
    therefore all run on the same ones."""
    if cpus is None:
        return (kind.default_cpus() if placement == "wandering" else 1), placement
    return cpus, placement if kind.own_kernel else "together"


def cannot_compute(kind: BackendKind, instructions: Instructions | None) -> str | None:
    """The reason why hosts of this kind cannot compute ciphers with these instructions only; None
    if they can."""
    if instructions is None or kind.instructions:
        return None
    # Debian's User Mode Linux has no code for any of them; this machine's kernel chooses itself.
    bare = kind.name == uml.KIND.name
    if instructions.none if bare else not (kind.own_kernel or instructions.without):
        return None
    able = ", ".join(other.name for other in KINDS if other.instructions)
    return (
        f"the kernel of back end {kind.name} cannot be told which instructions to use for "
        f"cryptography, as the cell asks; expected back end {able}"
    )


@dataclass(frozen=True)
class Backend:
    """Hosts of one kind, ready to be made: image and kernel are built."""

    kind: BackendKind
    cpus: int
    """processors of each host"""
    make: Make
    accelerator: str
    rule: Rule = "pinned"

    def enter(self) -> None:
        """Continue inside the namespaces of a lab (see `namespace.enter`). Raises UserError."""
        guests = self.kind.own_kernel
        namespace.enter(tun=guests, several_users=not guests)

    def network(self, topology: Topology) -> LabNetwork:
        """The network that joins the hosts of `topology`, made in the current network namespace."""
        return self.kind.network(topology, self.cpus)

    def place(self, topology: Topology) -> Placement:
        """The cores of the hosts of `topology`, among the cores that this process may use."""
        return place(topology, usable_cores(), self.cpus, self.rule)


def make_backend(
    name: str, memory_mib: int, wanted: Wanted = ANY, placement: Choice = "pinned"
) -> Backend:
    """The back end `name`, whose hosts have `memory_mib` of memory [MiB] and the `wanted`
    processors. Builds image and kernel if they are missing. Raises UserError."""
    kind = BACKENDS[name]
    require_programs("unshare", "mount", "ip")
    cpus, rule = processors(kind, wanted.cpus, placement)
    if cpus > 1 and not kind.several_cpus:
        able = ", ".join(other.name for other in KINDS if other.several_cpus)
        raise UserError(
            f"lab: back end {kind.name}: found {cpus} processors per host; its hosts have one; "
            f"expected back end {able}"
        )
    if reason := cannot_compute(kind, wanted.instructions):
        raise UserError(f"lab: {reason}")
    make = kind.prepare(memory_mib, replace(wanted, cpus=cpus))
    return Backend(kind, cpus, make, kind.accelerator(), rule)


def findings_here(kind: BackendKind, needs: Needs) -> list[Finding]:
    """Check this machine for the requirements of hosts of this kind, and of a scenario with these
    needs. Empty for guests, which bring their own kernel and tools."""
    return [] if kind.own_kernel else check_machine(Here(), Needs(kind.tools, kind.modules) | needs)
