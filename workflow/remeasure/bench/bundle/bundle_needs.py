"""What scenarios need of a bundle: kernels, and packages of the image."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.kernels import for_scenario
from remeasure.bench.campaign.profiles import profile_names
from remeasure.bench.campaign.scenario import Scenario, load_scenario
from remeasure.bench.lab import uml
from remeasure.bench.lab.backends import cannot_compute
from remeasure.bench.lab.image import KernelName
from remeasure.bench.lab.testbeds import LabTestbed, load_testbed
from remeasure.bench.measure.needs import needs_of
from remeasure.bench.probes import PROBES
from remeasure.bench.probes.cipher import Cipher
from remeasure.bench.testbed.watching.readiness import Needs

TESTBED = "lab"
"""name of the testbed that a bundle has"""
Choice = Literal["debian", "instructions"]
"""kernels between which --kernel chooses, where a scenario asks for neither"""
_KERNELS: dict[str, KernelName] = {
    uml.INSTRUCTIONS_KIND.name: "instructions",
    uml.SMP_KIND.name: "smp",
}
"""back end -> the kernel that its guests have beside the kernel of the image"""


@dataclass(frozen=True)
class Wanted:
    """What a bundle must hold so that scenarios can be measured with it."""

    scenarios: tuple[str, ...]
    testbed: LabTestbed
    kernels: frozenset[KernelName]
    """kernels beside the kernel of the image"""
    needs: Needs

    @property
    def unneeded(self) -> set[str]:
        """Packages of the image that other scenarios have probes for, and these do not."""
        others = {tool.package for probe in PROBES.values() for tool in probe.tools.values()}
        return others - {tool.package for tool in self.needs.tools.values()}


def wanted(names: Iterable[str], kernel: Choice | None) -> Wanted:
    """What these scenarios need under every profile. Raises UserError if there is no such scenario,
    or if it cannot be measured with this kernel."""
    testbed = bundled_testbed(kernel)
    found = [load_scenario(name, profile) for name in names for profile in profile_names()]
    kinds = {kind for scenario in found for kind in _kinds(testbed, scenario)}
    needs = Needs()
    for scenario in found:
        needs = needs | needs_of(scenario)
    return Wanted(
        tuple(dict.fromkeys(scenario.name for scenario in found)),
        testbed,
        frozenset(_KERNELS[kind] for kind in kinds if kind in _KERNELS),
        needs,
    )


def bundled_testbed(kernel: Choice | None) -> LabTestbed:
    """Testbed `lab` as a bundle has it: without QEMU, which machines elsewhere may lack."""
    testbed = load_testbed(TESTBED)
    if not isinstance(testbed, LabTestbed) or testbed.backend != uml.KIND.name:
        raise UserError(
            f"config/testbeds/{TESTBED}.yaml: backend: found {testbed.backend}, expected "
            f"{uml.KIND.name}: a bundle has guests of User Mode Linux alone"
        )
    chosen = {"several_cpus": uml.SMP_KIND.name} | ({"kernel": kernel} if kernel else {})
    return testbed.model_copy(update=chosen)


def _kinds(testbed: LabTestbed, scenario: Scenario) -> set[str]:
    """Names of the back ends that measure a scenario. Raises UserError."""
    used = for_scenario(testbed, scenario)
    settings = [scenario.settings(cell) for cell in scenario.cells]
    for name, probe in (pair for cell in settings for pair in cell.probes.items()):
        if isinstance(probe, Cipher) and probe.library != "own":
            raise UserError(
                f"{scenario.name}: probes.{name}.library: found {probe.library}, expected own: a "
                "bundle cannot bring hosts the libraries of a machine"
            )
    if not isinstance(used, LabTestbed):
        raise TypeError(type(used))
    found = set()
    for cell in settings:
        kind = used.kind_for(cell.wanted)
        if reason := cannot_compute(kind, cell.wanted.instructions):
            raise UserError(f"{scenario.name}: {reason}; see --kernel")
        found.add(kind.name)
    return found
