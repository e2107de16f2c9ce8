"""Print the scripts that Windows hosts would run for one cell. No host is asked. env/run python
workflow/windows/dry_run.py algorithm-sweep example-windows suite=des-md5"""

import sys
from typing import Annotated

import typer

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.plan import probe_order
from remeasure.bench.campaign.profiles import profile_names
from remeasure.bench.campaign.scenario import Cell, Scenario, key_of, load_scenario
from remeasure.bench.lab.testbeds import load_testbed
from remeasure.bench.testbed.inventory import Inventory, machine_of
from remeasure_windows.flows import all_steps, on_windows
from remeasure_windows.plan import Plan, Step
from remeasure_windows.powershell import step_of
from remeasure_windows.readiness import look, script_of


def dry_run(scenario: Scenario, testbed: str, chosen: str = "") -> str:
    """All scripts of a block's beginning and of a trial, in order and under headings; of a repeated
    one only the name. `chosen`: 'factor=level,...'; empty: the first cell with IPsec. Raises
    UserError, also for a cell that Windows hosts cannot measure."""
    inventory, topology = load_testbed(testbed), scenario.topology
    if not isinstance(inventory, Inventory) or inventory.os != "windows":
        raise UserError(f"testbed {testbed}: expected one of Windows hosts")
    cell = _cell(scenario, chosen)
    hosts = {role: machine_of(inventory, topology, role) for role in topology.hosts}
    plan = Plan(scenario.settings(cell), topology, hosts)
    probes = on_windows(probe_order(scenario, 1, 1, cell))
    steps = [
        ("before the block", Step(role, text))
        for role, host in hosts.items()
        for text in (look(host.windows_settings), script_of(host))
    ]
    text = [
        f"# Dry run of {scenario.name}, cell {key_of(cell)}, profile {scenario.profile}.",
        "# Nothing was run. These scripts have not yet been run on Windows.",
        "# $Secret is the pre-shared key, which is sent with a script.",
    ]
    seen: dict[str, int] = {}
    for number, (title, step) in enumerate([*steps, *all_steps(plan, probes)], 1):
        text += ["", f"#### {number}. {step.role}: {title}"]
        if step.text in seen:
            text.append(f"# the same as {seen[step.text]}: {step_of(step.text)}")
        else:
            seen[step.text] = number
            text.append(step.text.rstrip("\n"))
    return "\n".join(text)


def _cell(scenario: Scenario, chosen: str) -> Cell:
    levels = dict(part.partition("=")[::2] for part in chosen.split(",") if part)
    found = [cell for cell in scenario.all_cells if levels.items() <= cell.items()]
    if not found:
        known = "; ".join(map(key_of, scenario.all_cells))
        raise UserError(f"{chosen}: no such cell of {scenario.name}; known: {known}")
    return next((cell for cell in found if scenario.settings(cell).tunnel), found[0])


def main(
    scenario: str,
    testbed: str,
    cell: Annotated[str, typer.Argument()] = "",
    profile: str = profile_names()[0],
) -> None:
    """Print the scripts. A UserError is one line."""
    try:
        print(dry_run(load_scenario(scenario, profile), testbed, cell))
    except UserError as error:
        sys.exit(f"dry_run: {error}")


if __name__ == "__main__":
    typer.run(main)
