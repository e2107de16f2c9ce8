"""Kernels for guests of several processors: which profiles may have one compiled, and what is made
or said before the first block is measured."""

import math
import os

from remeasure.campaign.profiles import may_compile
from remeasure.campaign.scenario import Scenario
from remeasure.errors import UserError
from remeasure.lab.testbeds import LabTestbed, Testbed


def under_profile(testbed: Testbed, profile: str) -> Testbed:
    """The testbed as a campaign with this profile uses it. Raises UserError."""
    if isinstance(testbed, LabTestbed) and not may_compile(profile):
        return testbed.without_compiling()
    return testbed


def prepare_kernels(testbed: LabTestbed, scenario: Scenario) -> str | None:
    """Make the kernels of this scenario's guests that take seconds. Returns what is yet to be
    compiled and how long that takes, in words; None if nothing is.

    Raises UserError if a kernel cannot be made, or if QEMU is needed and missing.
    """
    testbed = testbed if may_compile(scenario.profile) else testbed.without_compiling()
    processors = len(os.sched_getaffinity(0))
    wanted = {scenario.settings(cell).cpus for cell in scenario.cells}
    here = [cpus for cpus in wanted if cpus is not None and cpus <= processors]
    try:
        compiled = {cpus: testbed.compile_s(cpus) for cpus in here}
        for cpus, seconds in compiled.items():
            if not seconds:
                testbed.backend_for(cpus)
    except UserError as error:
        raise UserError(
            f"{error}; or leave the scenario out: --config without={scenario.name}"
        ) from error
    if not any(compiled.values()):
        return None
    minutes = math.ceil(max(compiled.values()) / processors / 60)
    return (
        f"{scenario.name}: a kernel for its guests is compiled first, once: about {minutes} min on "
        f"{processors} processors (without={scenario.name} leaves the scenario out)"
    )
