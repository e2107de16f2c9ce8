"""The beginning of a campaign, before its first block: everything that its blocks share is made
once. Blocks that begin at once on several machines would each make it. Each of them still checks
it."""

from collections.abc import Iterable
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import SECRETS
from remeasure.bench.campaign.folder import campaign_folder, choose_scenario, freeze
from remeasure.bench.campaign.kernels import for_scenario
from remeasure.bench.campaign.machine_kind import Machine
from remeasure.bench.campaign.release import require_not_released
from remeasure.bench.campaign.round_plan import RoundPlan
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.unfinished import require_begun
from remeasure.bench.campaign.virtual_blocks import require_fit
from remeasure.bench.ipsec.kinds import kind_of
from remeasure.bench.lab.testbeds import (
    LabTestbed,
    Testbed,
    VirtualTestbed,
    document_of,
    load_testbed,
)
from remeasure.bench.lab.virtual.guest import get_parts
from remeasure.bench.measure.hosts import make_hosts
from remeasure.bench.testbed.watching.facts import software_commit


def begin_campaign(
    campaign: str,
    scenario_names: Iterable[str],
    profile: str | None,
    testbed_name: str,
    seed: int,
    build: bool = False,
    rounds: RoundPlan | None = None,
    machine: Machine | None = None,
) -> Path:
    """Freeze scenarios of a campaign, all or none, and make its credentials. Returns campaign.yaml.
    Anything begun before is compared, and stays. `build`: also build image, kernels and programs
    that the blocks need. `rounds`, `machine`: as in `freeze`. Raises UserError."""
    require_not_released(campaign)
    names = dict.fromkeys(scenario_names)
    scenarios = [choose_scenario(campaign, name, profile) for name in names]
    testbed = load_testbed(testbed_name)
    for scenario in scenarios:
        require_fit(scenario, testbed)
    if rounds is None:
        require_begun(campaign, scenarios[0].profile)
    freeze(campaign, scenarios, seed, document_of(testbed), software_commit(), machine, rounds)
    for scenario in scenarios:
        _make_credentials(campaign, scenario, testbed, seed)
        if build:
            _build(scenario, testbed)
    return campaign_folder(campaign) / "campaign.yaml"


def _make_credentials(campaign: str, scenario: Scenario, testbed: Testbed, seed: int) -> None:
    hosts = make_hosts(testbed, scenario)
    credentials = hosts.credentials(SECRETS / campaign, seed)
    for tunnel in filter(None, (scenario.settings(cell).tunnel for cell in scenario.cells)):
        kind_of(tunnel).make_secrets(tunnel, credentials)


def _build(scenario: Scenario, testbed: Testbed) -> None:
    """Build the parts of a scenario's hosts and probes, on this machine, into the cache."""
    settings = [scenario.settings(cell) for cell in scenario.cells]
    for probe in (probe for cell in settings for probe in cell.probes.values()):
        probe.build()
    testbed = for_scenario(testbed, scenario)
    if isinstance(testbed, VirtualTestbed):
        get_parts(testbed.kernel, testbed.suite)
    if isinstance(testbed, LabTestbed):
        for wanted in {cell.wanted for cell in settings}:
            try:
                testbed.backend_for(wanted)
            except UserError as error:
                raise UserError(
                    f"{error}; or leave the scenario out: --config without={scenario.name}"
                ) from error
