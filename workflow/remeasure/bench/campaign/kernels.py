"""Kernels of guests that are compiled: profiles that allow one, scenarios that need one, and work
and messages before the first block is measured."""

import math
import os
from collections.abc import Iterable

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.profiles import profile_of
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.lab.testbeds import LabTestbed, Testbed, VirtualTestbed


def for_scenario(testbed: Testbed, scenario: Scenario) -> Testbed:
    """The testbed as a scenario under its profile uses it, with one kernel for all cells. Raises
    UserError."""
    if isinstance(testbed, LabTestbed):
        return _lab_for(testbed, scenario)
    if isinstance(testbed, VirtualTestbed) and _has_tunnels_of_its_own(scenario):
        return testbed.model_copy(update={"kernel": "instructions"})
    return testbed


def _has_tunnels_of_its_own(scenario: Scenario) -> bool:
    """Whether Debian's kernel for guests lacks a tunnel of a cell."""
    tunnels = (scenario.settings(cell).tunnel for cell in scenario.cells)
    return any(tunnel.debian_lacks for tunnel in tunnels if tunnel)


def _lab_for(testbed: LabTestbed, scenario: Scenario) -> LabTestbed:
    profile = profile_of(scenario.profile)
    if not profile.compile:
        return testbed.with_kernel("debian")
    asks = any(scenario.settings(cell).instructions for cell in scenario.cells)
    if asks or _has_tunnels_of_its_own(scenario) or profile.kernel == "instructions":
        return testbed.with_kernel("instructions")
    return testbed


def prepare_kernels(testbed: LabTestbed, scenarios: Iterable[Scenario]) -> list[str]:
    """Make the kernels of these scenarios' guests that take seconds. Returns a line for each that
    is yet to be compiled, with its time and purpose. Raises UserError if a kernel cannot be made,
    or if QEMU is needed and missing."""
    waiting: dict[str, tuple[float, list[str]]] = {}
    processors = len(os.sched_getaffinity(0))
    for scenario in scenarios:
        for kernel, seconds in _to_compile(testbed, scenario, processors).items():
            waiting.setdefault(kernel, (seconds, []))[1].append(scenario.name)
    return [
        f"a kernel ({kernel}) is compiled first, once: about "
        f"{math.ceil(seconds / processors / 60)} min on {processors} processors; for "
        f"{', '.join(sorted(names))} (--config without=NAME leaves a scenario out)"
        for kernel, (seconds, names) in sorted(waiting.items())
    ]


def _to_compile(testbed: LabTestbed, scenario: Scenario, processors: int) -> dict[str, float]:
    """Back end -> processor time for which its kernel is yet to be compiled [s]; kernels that take
    seconds are made. Raises UserError."""
    testbed = _lab_for(testbed, scenario)
    wanted = {scenario.settings(cell).wanted for cell in scenario.cells}
    found = {}
    try:
        for cell in wanted:
            if cell.cpus is not None and cell.cpus > processors:
                continue
            if seconds := testbed.compile_s(cell):
                found[testbed.kind_for(cell).name] = seconds
            elif cell.cpus is not None:
                testbed.backend_for(cell)
    except UserError as error:
        raise UserError(
            f"{error}; or leave the scenario out: --config without={scenario.name}"
        ) from error
    return found
