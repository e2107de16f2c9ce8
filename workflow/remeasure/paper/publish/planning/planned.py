"""The command `remeasure plan`: the parts of a plan, each as it is ready."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.folder import campaign_folder
from remeasure.bench.campaign.rounds import Rounds, campaign_rounds
from remeasure.bench.claims.published import studies_of
from remeasure.paper.publish.planning.headlines import widths
from remeasure.paper.publish.planning.opened import opened_blocks, require_pilot
from remeasure.paper.publish.planning.plan_text import (
    decided_text,
    lengths_of,
    plan_text,
    power_text,
    widths_text,
)
from remeasure.paper.publish.planning.power import ROUNDS, power


def planned(
    campaign: str,
    profile: str | None,
    seed: int,
    only_power: bool,
    pilot: str | None,
    campaigns: int,
) -> Iterator[str]:
    """The parts of the plan of a campaign, as text; `only_power`: of undecided statements by number
    of rounds. `pilot`: a campaign whose lengths and noise are taken where it has them; `campaigns`:
    number of simulated ones. Raises UserError for an unknown profile, a campaign that has another
    one, and a pilot without blocks."""
    plan = campaign_rounds(campaign, profile, seed)
    if pilot:
        require_pilot(pilot)
    if pilot and not any(campaign_folder(pilot).glob("*/*.zip")):
        raise UserError(f"{campaign_folder(pilot)}: found no block, expected blocks of a pilot")
    every = len(plan.rounds)
    rounds = [*(n for n in ROUNDS if n < every and only_power), every]
    if not only_power:
        yield plan_text(campaign, plan, lengths_of(plan, pilot), seed)
        yield widths_text(widths(plan))
    with tempfile.TemporaryDirectory() as folder:
        noise = noise_of(plan, pilot, Path(folder)) if pilot else {}
        found = power(plan, rounds, campaigns, seed, noise)
    yield power_text(found) if only_power else decided_text(found)


def noise_of(plan: Rounds, pilot: str, folder: Path) -> dict[str, Any]:
    """Scenario with statements -> the notebook of the pilot's trials. Tables go to `folder`. Raises
    UserError."""
    blocks = {
        name: sorted((campaign_folder(pilot) / name).glob("*.zip"))
        for name in plan.scenarios
        if studies_of(name)
    }
    return {name: opened_blocks(name, of, folder) for name, of in blocks.items() if of}
