"""The scripts of a trial, to be read by a person: no host is asked, and nothing is written."""

from remeasure.campaign.folder import check_block, choose_scenario, read_frozen
from remeasure.campaign.plan import block_order, probe_order
from remeasure.campaign.profiles import profile_names
from remeasure.campaign.scenario import choose_cell, key_of
from remeasure.errors import UserError
from remeasure.lab.testbeds import load_testbed
from remeasure.measure.block import BlockOrder
from remeasure.testbed.inventory import Inventory
from remeasure.testbed.roles import machine_of
from remeasure.windows.facts import script_of
from remeasure.windows.flows import on_windows
from remeasure.windows.plan import Plan, Step
from remeasure.windows.powershell import step_of
from remeasure.windows.readiness import look


def dry_run(order: BlockOrder, chosen: str | None) -> str:
    """The scripts that a trial of one cell would run, host by host, under headings.

    `chosen` is 'factor=level,...'; None: the first cell of the block's order that has IPsec. An
    order without a profile takes the profile of the campaign if that has begun, else the shortest.
    A script that was printed before is only named. Raises UserError.
    """
    begun = read_frozen(order.campaign) is not None
    scenario = choose_scenario(
        order.campaign, order.scenario, order.profile or (None if begun else profile_names()[0])
    )
    check_block(scenario, order.block)
    testbed = load_testbed(order.testbed)
    if not isinstance(testbed, Inventory) or testbed.os != "windows":
        raise UserError(
            f"testbed {order.testbed}: --dry-run prints the scripts of Windows hosts, "
            "and this testbed has none"
        )
    topology = scenario.topology
    cell = choose_cell(scenario, block_order(scenario, order.seed, order.block), chosen)
    hosts = {role: machine_of(testbed, topology, role) for role in topology.hosts}
    plan = Plan(scenario.settings(cell), topology, hosts)
    probes = on_windows(probe_order(scenario, order.seed, order.block, cell), hosts)
    looks = [
        ("before the block", Step(role, text))
        for role, host in hosts.items()
        for text in (
            look(host.windows_settings),
            script_of(host.windows_settings, list(host.interfaces.values())),
        )
    ]
    text = [
        f"# Dry run of {scenario.name}, cell {key_of(cell)}, block {order.block}, profile "
        f"{scenario.profile}.",
        "# Nothing was run. These scripts have not yet been run on Windows.",
        "# $Secret is the pre-shared key, which is sent beside a script.",
    ]
    seen: dict[str, int] = {}
    for number, (title, step) in enumerate([*looks, *plan.all_steps(probes)], 1):
        host = hosts[step.role]
        text += ["", f"#### {number}. {step.role} ({host.name}): {title}"]
        if step.text in seen:
            text.append(f"# the same as {seen[step.text]}: {step_of(step.text)}")
        else:
            seen[step.text] = number
            text.append(step.text.rstrip("\n"))
    return "\n".join(text)
