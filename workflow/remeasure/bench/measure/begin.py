"""The beginning of a campaign, before its first block: everything that its blocks share is made
once. Blocks that begin at once on several machines would each make it. Each of them still checks
it. A round of a campaign is measured on this machine as the first round was."""

import datetime
import math
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import SECRETS
from remeasure.bench.base.worktree import require_clean, software_commit
from remeasure.bench.campaign.folder import (
    Frozen,
    choose_scenario,
    freeze,
    frozen_path,
    read_frozen,
)
from remeasure.bench.campaign.kernels import for_scenario
from remeasure.bench.campaign.machine_kind import Machine, are_alike, in_words
from remeasure.bench.campaign.profiles import profile_of
from remeasure.bench.campaign.register import register
from remeasure.bench.campaign.release import require_not_released
from remeasure.bench.campaign.round_plan import RoundPlan, measuring_code
from remeasure.bench.campaign.rounds import campaign_rounds, names_by_kind, require_begun
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.virtual_blocks import require_fit
from remeasure.bench.ipsec.kinds import KINDS
from remeasure.bench.lab.testbeds import (
    LabTestbed,
    Testbed,
    VirtualTestbed,
    document_of,
    load_testbed,
)
from remeasure.bench.lab.virtual.guest import get_parts
from remeasure.bench.measure.hosts import make_hosts


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
    return frozen_path(campaign)


def _make_credentials(campaign: str, scenario: Scenario, testbed: Testbed, seed: int) -> None:
    hosts = make_hosts(testbed, scenario)
    credentials = hosts.credentials(SECRETS / campaign, seed)
    for tunnel in filter(None, (scenario.settings(cell).tunnel for cell in scenario.cells)):
        KINDS[tunnel.kind].make_secrets(tunnel, credentials)


def _build(scenario: Scenario, testbed: Testbed) -> None:
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


class RoundOrder(NamedTuple):
    """The arguments of `remeasure round`."""

    campaign: str
    profile: str | None
    testbed: str
    seed: int
    wait: float
    """how long to wait for a quiet machine before a block [min]"""
    commit: bool
    """whether each finished block is committed to git"""
    until_ns: float = math.inf
    """no block is begun that would not be finished then [ns since the epoch]"""


def moment_of(text: str, now: datetime.datetime) -> float:
    """The moment that HH:MM names next by the clock of this machine, or that a date and time name
    (2026-11-30T14:20) [ns since the epoch]. Raises UserError, also for HH:MM that was less than
    twelve hours ago: tomorrow's is rather not meant."""
    try:
        if re.fullmatch("[0-9]{1,2}:[0-9]{2}", text):
            hour, minute = map(int, text.split(":"))
            at = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
            at += datetime.timedelta(days=now - at > datetime.timedelta(hours=12))
        else:
            at = datetime.datetime.fromisoformat(text if "T" in text else "").astimezone()
    except ValueError:
        raise UserError(
            f"--until: found {text!r}, expected a time: 14:20, or 2026-11-30T14:20"
        ) from None
    if at <= now:
        raise UserError(
            f"--until: found {text}, which has passed: it is {now:%Y-%m-%dT%H:%M}; give a later "
            "time, and tomorrow's with its date"
        )
    return at.timestamp() * 1e9


def begin_on(order: RoundOrder, testbed: LabTestbed, machine: Machine) -> str:
    """The campaign to which this machine belongs, which is begun if need be: the one of the order,
    or one with the same plan for another kind of machine."""
    first = read_frozen(order.campaign)
    if first is None:
        require_not_released(order.campaign)
        require_clean(software_commit(), order.campaign)
        new = campaign_rounds(order.campaign, order.profile, order.seed)
        profile = next(iter(new.scenarios.values())).profile
        own = profile_of(profile)
        drawn = RoundPlan.drawn(own.gate, new.rounds, own.least)
        begin_campaign(
            order.campaign, new.scenarios, profile, testbed.name, order.seed, True, drawn, machine
        )
        return order.campaign
    plan = plan_of(first)
    _require_plan(first, order, testbed)
    for campaign in names_by_kind(order.campaign):
        frozen = first if campaign == order.campaign else read_frozen(campaign)
        if frozen is None or frozen.machine is None or are_alike(frozen.machine, machine):
            break
    if campaign != order.campaign:
        print(
            f"{order.campaign}: measured on {in_words(first.machine or {})}; this machine, "
            f"{in_words(machine)}, measures {campaign} with the same plan",
            file=sys.stderr,
        )
    require_not_released(campaign)
    if frozen is None:
        require_clean(software_commit(), campaign)
        drawn = RoundPlan.drawn(plan.gate, plan.rounds, plan.least)
        begin_campaign(
            campaign, first.scenarios, first.profile, testbed.name, first.seed, True, drawn, machine
        )
    elif frozen is not first:
        _require_plan(frozen, order, testbed)
    return campaign


def _require_plan(frozen: Frozen, order: RoundOrder, testbed: LabTestbed) -> None:
    """Raises UserError unless a campaign has rounds, and was begun with the present settings,
    scenarios and claims."""
    path = frozen_path(frozen.campaign)
    frozen.require_profile(order.profile)
    for name in frozen.scenarios:
        frozen.require_settings(frozen.scenario(name, path), order.seed, document_of(testbed))
        then, now = frozen.registered[name], register(name, frozen.rules)
        if changed := sorted(c for c in then.keys() | now.keys() if then.get(c) != now.get(c)):
            raise UserError(
                f"{path}: registered.{name}: claim {changed[0]} in data/published is not as it was "
                f"when {frozen.campaign} began; restore it, or name another campaign"
            )


def plan_of(frozen: Frozen) -> RoundPlan:
    """The plan of a campaign. Raises UserError if it has no rounds."""
    if frozen.rounds is None:
        raise UserError(
            f"{frozen_path(frozen.campaign)}: rounds: not there: this campaign has none; measure "
            "it by snakemake, or name another campaign"
        )
    return frozen.rounds


def require_code(frozen: Frozen) -> None:
    """Raises UserError if the code that measures has changed since the campaign began."""
    found, expected = measuring_code(), plan_of(frozen).code
    if expected != found:
        raise UserError(
            f"{frozen_path(frozen.campaign)}: rounds.code: found {found} in workflow/remeasure/"
            f"bench, expected {expected}; measure the other rounds by the same code: git checkout "
            f"{frozen.software.rstrip('+')}, or name another campaign"
        )
