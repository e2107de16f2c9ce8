"""The command `remeasure plan`. The plan of a campaign as text: rounds, blocks in their order,
minutes, megabytes, widths of intervals, the statements that it should decide, and the chances of
our own predictions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd

from remeasure.bench.campaign.plan import Length, known_blocks, length_of
from remeasure.bench.campaign.round_plan import Round
from remeasure.bench.campaign.rounds import Rounds, campaign_rounds
from remeasure.paper.publish.planning.chances import Chance, chances
from remeasure.paper.publish.planning.headlines import Width, widths
from remeasure.paper.publish.planning.power import MANY, power, statements

LONGEST = 165
"""longest stretch of work that a plan may ask for [min]"""
DECIDES = 0.8
"""share of simulated campaigns from which on a plan should decide a statement"""
TRIED = 4
"""simulated campaigns for predictions, for each one for statements"""
CHANCES = """\
Shares of {} simulated campaigns. If true: confirmed, if the truth is the middle of the bounds (of
one bound: the mean of released trials). Confirmed, refuted: with the truths that released trials
leave possible; without any such trial, or with one block, no share."""


def percent(share: float) -> str:
    """A share, 0 to 1, as a percentage."""
    return f"{100 * share:.0f} %"


def planned(campaign: str, profile: str | None, seed: int, campaigns: int) -> Iterator[str]:
    """The parts of the plan of a campaign, each as it is ready. `campaigns`: number of simulated
    ones. Raises UserError for an unknown profile, and a campaign that has another one."""
    plan, known = campaign_rounds(campaign, profile, seed), known_blocks()
    lengths = {name: length_of(scenario, known) for name, scenario in plan.scenarios.items()}
    yield plan_text(campaign, plan, lengths, seed)
    yield widths_text(widths(plan))
    yield decided_text(power(plan, campaigns, seed))
    yield chances_text(list(chances(plan, TRIED * campaigns, seed)), TRIED * campaigns)


def minutes_of(one: Round, lengths: Mapping[str, Length]) -> float:
    return sum(lengths[block.scenario].minutes for block in one)


def plan_text(campaign: str, plan: Rounds, lengths: Mapping[str, Length], seed: int) -> str:
    """Rounds and blocks of a plan, with their lengths."""
    profile = next(iter(plan.scenarios.values())).profile
    blocks = {name: scenario.design.blocks for name, scenario in plan.scenarios.items()}
    hours = sum(minutes_of(one, lengths) for one in plan.rounds) / 60
    size = sum(count * lengths[name].megabytes for name, count in blocks.items())
    lines = [
        f"Campaign {campaign}, profile {profile}, seed {seed}: {len(plan.rounds)} rounds, "
        f"{sum(blocks.values())} blocks, {hours:.1f} hours, {size:.0f} MB",
        "",
        f"{'scenario':<20}{'blocks':>7}{'minutes':>9}{'MB':>7}  from",
    ]
    lines += [
        f"{name:<20}{blocks[name]:>7}{one.minutes:>9.1f}{size:>7}  {one.source}"
        for name, one in lengths.items()
        for size in [f"{'~' if one.guess else ''}{one.megabytes:.2f}"]
    ]
    for number, one in enumerate(plan.rounds, 1):
        lines += ["", f"Round {number}: {len(one)} blocks, {minutes_of(one, lengths):.0f} minutes"]
        lines += _wrapped(f"{block.scenario} {block.number}" for block in one)
    longest = max(minutes_of(one, lengths) for one in plan.rounds)
    lines += ["", f"Longest round: {longest:.0f} minutes, allowed {LONGEST}"]
    if any(one.guess for one in lengths.values()):
        lines += ["", "~ No block in the pilot: the size is guessed from other scenarios."]
    return "\n".join(lines)


def widths_text(found: Sequence[Width]) -> str:
    """Headline numbers with half widths of 95 % intervals, now and as planned."""
    head = ("Headline number, half width of its 95 % interval", "now", "planned")
    lines = [f"{says:<59}{now:>15}{then:>15}" for says, now, then in (head, *found)]
    return "\n".join([*lines, "In brackets: blocks."])


def decided_text(found: pd.DataFrame) -> str:
    """Which statements the plan should decide, from simulated campaigns (power.power)."""
    if found.empty:
        return "No statement of these scenarios can be tested."
    table, campaigns = statements(found), found["campaign"].nunique()
    sure = table["decided"] >= DECIDES
    lines = [
        f"Statements: {len(table)} can be tested; {sure.sum()} are decided in {percent(DECIDES)} "
        f"of {campaigns} simulated campaigns or more:"
    ]
    for study, rows in table[sure].groupby("study"):
        lines += [f"{study}:", *_wrapped(_short(study, rows))]
    never = table["ever"] < DECIDES
    for says, open_ones in (
        (f"Not sure to be decided, but by {MANY} blocks", table[~sure & ~never]),
        (f"No number of blocks will decide, as {MANY} do not", table[~sure & never]),
    ):
        lines += ["", f"{says} (shares of campaigns; {MANY} blocks in brackets):"]
        for study, rows in open_ones.groupby("study"):
            shares = zip(_short(study, rows), rows["decided"], rows["ever"], strict=True)
            words = (f"{name} {percent(now)} ({percent(ever)})" for name, now, ever in shares)
            lines += [f"{study}:", *_wrapped(words)]
    return "\n".join(lines)


def chances_text(found: Sequence[Chance], campaigns: int) -> str:
    """The predictions with their chances."""

    def said(share: float) -> str:
        return "-" if pd.isna(share) else percent(share)

    head = ("Our own predictions", "if true", "confirmed", "refuted")
    rows = [head, *((one.claim, *map(said, one[1:])) for one in found)]
    lines = [f"{name:<40}{own:>10}{yes:>12}{no:>10}" for name, own, yes, no in rows]
    return "\n".join([*lines, *CHANCES.format(campaigns).splitlines()])


def _short(study: str, rows: pd.DataFrame) -> list[str]:
    return [claim.removeprefix(f"{study}-") for _, claim in rows.index]


def _wrapped(words: Iterable[str], width: int = 96) -> list[str]:
    """Words with commas, in indented lines of at most `width` characters."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) + 2 > width - 2:
            lines.append("")
        lines[-1] += f", {word}" if lines[-1] else word
    return [f"  {line}" for line in lines]
