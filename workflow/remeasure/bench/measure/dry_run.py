"""The scripts of a trial, to be read by a person: no host is asked, and nothing is written."""

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.folder import check_block, choose_scenario, read_frozen
from remeasure.bench.campaign.plan import block_order, probe_order
from remeasure.bench.campaign.profiles import profile_names
from remeasure.bench.campaign.scenario import choose_cell, key_of
from remeasure.bench.lab.testbeds import load_testbed
from remeasure.bench.measure.block import BlockOrder
from remeasure.bench.measure.other_systems import system_of
from remeasure.bench.testbed.inventory import Inventory
from remeasure.bench.testbed.roles import machine_of


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
    system = system_of(testbed) if isinstance(testbed, Inventory) else None
    if not isinstance(testbed, Inventory) or system is None:
        raise UserError(
            f"testbed {order.testbed}: --dry-run prints the scripts of Windows hosts, "
            "and this testbed has none"
        )
    topology = scenario.topology
    cell = choose_cell(scenario, block_order(scenario, order.seed, order.block), chosen)
    hosts = {role: machine_of(testbed, topology, role) for role in topology.hosts}
    probes = probe_order(scenario, order.seed, order.block, cell)
    text = [
        f"# Dry run of {scenario.name}, cell {key_of(cell)}, block {order.block}, profile "
        f"{scenario.profile}.",
        "# Nothing was run. These scripts have not yet been run on Windows.",
        "# $Secret is the pre-shared key, which is sent beside a script.",
    ]
    seen: dict[str, int] = {}
    scripts = system.scripts(scenario.settings(cell), probes, topology, hosts)
    for number, script in enumerate(scripts, 1):
        host = hosts[script.role]
        text += ["", f"#### {number}. {script.role} ({host.name}): {script.title}"]
        if script.text in seen:
            text.append(f"# the same as {seen[script.text]}: {script.name}")
        else:
            seen[script.text] = number
            text.append(script.text.rstrip("\n"))
    return "\n".join(text)
