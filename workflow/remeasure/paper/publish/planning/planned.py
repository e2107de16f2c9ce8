"""The command `remeasure plan`: the parts of a plan, each as it is ready."""

from collections.abc import Iterator

from remeasure.bench.campaign.rounds import campaign_rounds
from remeasure.paper.publish.planning.headlines import widths
from remeasure.paper.publish.planning.plan_text import (
    decided_text,
    lengths_of,
    plan_text,
    power_text,
    widths_text,
)
from remeasure.paper.publish.planning.power import ROUNDS, power


def planned(
    campaign: str, profile: str | None, seed: int, only_power: bool, campaigns: int
) -> Iterator[str]:
    """The parts of the plan of a campaign, as text; `only_power`: of undecided statements by number
    of rounds. `campaigns`: number of simulated ones. Raises UserError for an unknown profile, and a
    campaign that has another one."""
    plan = campaign_rounds(campaign, profile, seed)
    every = len(plan.rounds)
    if only_power:
        rounds = [*(n for n in ROUNDS if n < every), every]
        yield power_text(power(plan, rounds, campaigns, seed))
        return
    yield plan_text(campaign, plan, lengths_of(plan), seed)
    yield widths_text(widths(plan))
    yield decided_text(power(plan, [every], campaigns, seed))
