"""Testbeds, read from config/testbeds: machines of an inventory, a lab, or virtual time; and the
back ends of the lab by name, with the hosts that one of them makes."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_yaml
from remeasure.bench.base.names import VIRTUAL, plain_name
from remeasure.bench.base.paths import CONFIG
from remeasure.bench.base.schema import DIALECT, Schema, definitions
from remeasure.bench.base.topology import Topology
from remeasure.bench.lab import namespace, netns, qemu, uml
from remeasure.bench.lab.guest import BackendKind, Make
from remeasure.bench.lab.image import Suite, is_built
from remeasure.bench.lab.network import require_apart
from remeasure.bench.lab.placement import Placement, PlacementChoice, Rule, place, usable_cores
from remeasure.bench.testbed.inventory import Inventory, Login
from remeasure.bench.testbed.treatments.instructions import Instructions, Wanted
from remeasure.bench.testbed.watching.readiness import Here, Needs, ReadinessFinding, check_machine

# The first one of these that can run stands in for a back end whose hosts have one processor.
KINDS = (uml.KIND, uml.INSTRUCTIONS_KIND, qemu.KIND, uml.SMP_KIND, netns.KIND)
BACKENDS: dict[str, BackendKind] = {kind.name: kind for kind in KINDS}


def processors(kind: BackendKind, cpus: int | None, placement: PlacementChoice) -> tuple[int, Rule]:
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


class Backend(NamedTuple):
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


def findings_here(kind: BackendKind, needs: Needs) -> list[ReadinessFinding]:
    """Check this machine for the requirements of hosts of this kind, and of a scenario with these
    needs. Empty for guests, which bring their own kernel and tools."""
    return [] if kind.own_kernel else check_machine(Here(), Needs(kind.tools, kind.modules) | needs)


if TYPE_CHECKING:  # a type checker does not know names that are computed
    BackendName = str
else:
    BackendName = Literal[*BACKENDS]


class VirtualTestbed(config.Named):
    """A testbed in virtual time: hosts are namespaces of one guest on this machine, for which
    computing takes no time."""

    kind = "testbed"
    backend: Literal["virtual"]
    """kind of its hosts"""
    memory_mib: int = Field(768, ge=256)
    """memory of the guest that all hosts share [MiB]"""
    kernel_entry_ns: int = Field(0, ge=0, le=1_000_000)
    """virtual time that each entry of a process into the kernel takes, a system call or a page
    fault [ns]; 0: none. A loop that makes system calls, but neither sleeps nor reads the clock,
    ends only if it is more than 0"""
    kernel: Literal["debian", "instructions"] = "debian"
    """kernel of the guest: Debian's own, or the one that guests have for instructions, which a
    scenario with a tunnel that Debian's kernel lacks gets by itself"""
    suite: Suite | None = None
    """release of Debian from which the guest's programs come, as each trial proves: strongSwan
    6.1.0 is in forky, 6.0.1 in trixie, 5.9.8 in bookworm. Kernel, tc, ip and iperf3 always come
    from forky. null: forky, for campaigns that do not compare versions"""


class LabTestbed(config.Named):
    """A testbed whose hosts are started on this machine: guests, or namespaces of its kernel."""

    kind = "testbed"
    backend: BackendName
    """kind of its hosts"""
    kernel: Literal["auto", "debian", "instructions"] = "auto"
    """kernel of guests of back end uml: Debian's own; instructions: one compiled with the kernel's
    own code for the processor's instructions for cryptography; auto: by the profile, and
    instructions if a scenario asks for some. A scenario with a number of processors per host gets
    back end qemu if KVM works or the kernel is Debian's own, else uml-smp"""
    memory_mib: int = Field(256, ge=128)
    """memory of each guest [MiB]; a guest takes memory from this machine only as it uses it"""
    placement: PlacementChoice = "pinned"
    """pinned: each guest keeps the cores that are computed from the links; `wandering`: guests run
    on all cores that may be used"""

    @property
    def backend_kind(self) -> BackendKind:
        """The back end for scenarios without a number of processors per host."""
        if self.backend == uml.KIND.name and self.kernel == "instructions":
            return uml.INSTRUCTIONS_KIND
        return BACKENDS[self.backend]

    def kind_for(self, wanted: Wanted) -> BackendKind:
        """The back end for cells with these requirements."""
        if self.backend_kind.several_cpus or wanted.cpus is None:
            return self.backend_kind
        as_it_is = self.kernel == "debian"
        return next(
            kind
            for kind in BACKENDS.values()
            if kind.stands_in and (not kind.compile_s if as_it_is else kind.stands_in())
        )

    def with_kernel(self, kernel: Literal["debian", "instructions"]) -> "LabTestbed":
        """This testbed with this kernel, if it leaves the choice to us."""
        return self.model_copy(update={"kernel": kernel}) if self.kernel == "auto" else self

    def compile_s(self, wanted: Wanted) -> float:
        """Processor time for which a kernel is yet to be compiled for `wanted` hosts [s]. Raises
        UserError."""
        kind = self.kind_for(wanted)
        return 0 if kind.kernel is None or is_built(kind.kernel) else kind.compile_s

    def place(self, topology: Topology, wanted: Wanted) -> Placement:
        """The cores of `wanted` hosts, for a look before anything is built. Raises UserError, also
        if the lab's own network is in the way of a link."""
        require_apart(topology)
        count, rule = processors(self.kind_for(wanted), wanted.cpus, self.placement)
        return place(topology, usable_cores(), count, rule)

    def backend_for(self, wanted: Wanted) -> Backend:
        """The back end that makes `wanted` hosts, with image and kernel built. Raises UserError."""
        namespace.require_programs("unshare", "mount", "ip")
        kind = self.kind_for(wanted)
        cpus, rule = processors(kind, wanted.cpus, self.placement)
        make = kind.prepare(self.memory_mib, replace(wanted, cpus=cpus))
        return Backend(kind, cpus, make, kind.accelerator(), rule)


Testbed = Inventory | LabTestbed | VirtualTestbed
_MODELS: dict[str, type[Inventory] | type[LabTestbed] | type[VirtualTestbed]] = {
    "ssh": Inventory,
    **dict.fromkeys(BACKENDS, LabTestbed),
    VIRTUAL: VirtualTestbed,
}
"""field `backend` of a testbed -> the model of its file"""


def testbed_schema() -> Schema:
    """JSON Schema of config/testbeds/*.yaml, whose field `backend` decides the model of a file."""
    models = definitions(Inventory, LabTestbed, VirtualTestbed)
    kinds = [{"$ref": f"#/$defs/{name}"} for name in ("LabTestbed", "VirtualTestbed", "Inventory")]
    about = (
        "ssh: machines that run already (the default); virtual: virtual time; otherwise a lab, and "
        "the kind of its hosts"
    )
    backend = {"description": about, "enum": [*_MODELS]}
    return {
        "$schema": DIALECT,
        "type": "object",
        "properties": {"backend": backend},
        "anyOf": kinds,
        "$defs": models,
    }


def document_of(testbed: Testbed) -> dict[str, Any]:
    """The testbed as stored with a campaign: the fields that its file sets, without defaults and
    without login details, which must not be published."""
    document = testbed.model_dump(mode="json", exclude_defaults=True)
    private = {*Login.model_fields, "jump", "sudo", "process", "own_kernel"}
    hosts = [
        {key: value for key, value in host.items() if key not in private}
        for host in document.get("hosts", [])
    ]
    return document | ({"backend": testbed.backend, "hosts": hosts} if hosts else {})


def is_virtual(document: dict[str, Any]) -> bool:
    """Whether a testbed, as stored with a campaign, is one in virtual time."""
    return _MODELS.get(document.get("backend", "ssh")) is VirtualTestbed


def load_testbed(name: str) -> Testbed:
    """Read config/testbeds/<name>.yaml. Raises UserError if the file is missing or wrong."""
    path = CONFIG / "testbeds" / f"{plain_name('testbed', name)}.yaml"
    data = read_yaml(path)
    if not isinstance(data, dict):
        raise UserError(f"{path}: found no fields, expected some, such as `backend: uml`")
    backend = data.get("backend", "ssh")
    if not isinstance(backend, str) or backend not in _MODELS:
        raise UserError(
            f"{path}: backend: found {backend!r}, expected ssh (machines), virtual (virtual "
            f"time) or, for a lab, {', '.join(BACKENDS)}"
        )
    testbed: Testbed = config.validate_named(_MODELS[backend], path.stem, data, str(path))
    most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    if not isinstance(testbed, Inventory) and testbed.memory_mib > most:
        found = f"found {testbed.memory_mib}, expected at most {most}, the memory of this machine"
        raise UserError(f"{path}: memory_mib: {found}")
    return testbed
