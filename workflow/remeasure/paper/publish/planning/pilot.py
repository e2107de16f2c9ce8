"""The report on a pilot: one round of a campaign, which is measured, reported and thrown
away."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.folder import Frozen, campaign_folder, read_frozen
from remeasure.bench.campaign.lengths import measured_blocks, seconds_of
from remeasure.bench.campaign.rounds import campaign_rounds
from remeasure.bench.campaign.staging import write_json
from remeasure.paper.analysis.limits.rate_limits import GATEWAY, LINK
from remeasure.paper.publish.planning import pilot_rules as rules
from remeasure.paper.publish.planning.like_against_like import compared, pairs
from remeasure.paper.publish.planning.opened import opened_blocks, require_pilot
from remeasure.paper.publish.planning.pilot_tables import (
    SUITES,
    Pilot,
    alike_table,
    lengths_table,
    limited_cells,
    limits_table,
    noise_table,
    not_by_gateways,
    processor_table,
    reasons_of,
    reasons_table,
    replaced_table,
)
from remeasure.paper.publish.planning.plan_text import percent
from remeasure.paper.publish.planning.power import power, undecided

_PACE = (
    "Pace: time of the fixed computation before trials, over the fastest scenario's. A round's "
    "gate refuses blocks whose pace differs; `remeasure measure`, which measures one block, does "
    "not. Attempts at blocks that were measured again are not in this table."
)


def pilot_report(campaign: str, campaigns: int, seed: int) -> str:
    """The report on a pilot, as Markdown. `campaigns`: number of simulated campaigns. Raises
    UserError if the campaign has no block, or is no pilot."""
    require_pilot(campaign)
    frozen = read_frozen(campaign)
    blocks = measured_blocks([campaign])
    if frozen is None or not blocks:
        raise UserError(
            f"{campaign_folder(campaign)}: found no block on guests, expected a pilot's round"
        )
    plan = campaign_rounds(campaign, None, frozen.seed, otherwise=1)
    with tempfile.TemporaryDirectory() as folder:
        names = dict.fromkeys(one.scenario for one in blocks if one.scenario in plan.scenarios)
        paths = {n: sorted((campaign_folder(campaign) / n).glob("*.zip")) for n in names}
        notebooks = {n: opened_blocks(n, of, Path(folder)) for n, of in paths.items()}
        pilot = Pilot(campaign, plan, blocks, notebooks)
        decided = power(plan, [len(plan.rounds)], campaigns, seed, notebooks)
        return _as_text(frozen, pilot, decided)


def write_lengths(campaign: str, path: Path) -> None:
    """Write the lengths of a pilot's blocks, as lengths.known_blocks reads them."""
    write_json(path, {"blocks": [block._asdict() for block in measured_blocks([campaign])]})


def _as_text(frozen: Frozen, pilot: Pilot, decided: pd.DataFrame) -> str:
    head = (
        f"# Pilot {pilot.campaign}\n\nProfile {frozen.profile}, commit {frozen.software}, begun "
        f"{frozen.created}. Made by `remeasure pilot {pilot.campaign}`. A pilot is thrown away: no "
        "number of the paper comes from it."
    )
    lacking = [name for name in pilot.plan.scenarios if name not in pilot.notebooks]
    if lacking:
        done, every = len(pilot.blocks), len(pilot.plan.rounds[0])
        head += f"\n\n{done} of the round's {every} blocks are measured. Scenarios without a block "
        head += f"here: {', '.join(lacking)}."
    sections = {
        "What it must show": rules.as_table(must_show(pilot, decided)),
        "What the plan must change": changes(pilot, decided),
        "Minutes and megabytes": [*_table(lengths_table(pilot)), "", _PACE],
        "Trials that were not accepted": _table(reasons_table(pilot)),
        "Blocks that were measured again": _table(replaced_table(pilot)),
        "Like against like": _table(alike_table(pilot)),
        "Noise": _table(noise_table(pilot)),
        "Processor time": _table(processor_table(pilot)),
        "Limits of suite-cost": [*_table(limits_table(pilot)), "", *not_by_gateways(pilot)],
        "Undecided statements": _table(undecided_table(decided)),
        "Rules, written before the pilot": [f"- {rule}" for rule in rules.RULES],
        "Changed after the pilot": [f"- {rule}" for rule in rules.AFTERWARDS],
    }
    parts = [head, *("\n".join([f"## {title}", "", *of]) for title, of in sections.items())]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def must_show(pilot: Pilot, decided: pd.DataFrame) -> list[rules.Line]:
    """The lines that decide whether the campaign may begin."""
    plan_minutes = sum(pilot.planned[one.scenario].minutes for one in pilot.blocks)
    minutes = sum(one.seconds for one in pilot.blocks) / 60
    again = sum(seconds_of(block.block["sessions"]) for block in pilot.refused) / 60
    size, count = pilot.megabytes, _undecided(decided)
    return [
        *_of_trials(pilot),
        _of_cells(pilot),
        _of_like_and_like(pilot),
        rules.judged(
            f"minutes within {percent(rules.MINUTES)} of the plan",
            abs(minutes / plan_minutes - 1) <= rules.MINUTES,
            f"{minutes:.0f} minutes, planned {plan_minutes:.0f}; blocks that were measured again "
            f"took {again:.0f} more",
        ),
        rules.judged(
            f"raw data of all rounds below {rules.MEGABYTES:g} MB",
            size < rules.MEGABYTES,
            f"{size:.0f} MB for {len(pilot.plan.rounds)} rounds",
        ),
        rules.judged(
            f"at most {rules.UNDECIDED:g} statements undecided",
            count <= rules.UNDECIDED,
            f"{count:.1f} in the mean of {decided['campaign'].nunique()} simulated campaigns; "
            "uncertain, since the noise comes from one or two blocks"
            if np.isfinite(count)
            else "no statement can be asked of this plan",
            known=bool(np.isfinite(count)),
        ),
    ]


def _of_trials(pilot: Pilot) -> list[rules.Line]:
    kept = [str(verdict) for verdict in pilot.trials["verdict"]]
    every = kept + [one.record["verdict"] for block in pilot.refused for one in block.trials]
    accepted, ours = every.count("accepted"), [r for r in reasons_of(pilot) if r[2]]
    share = accepted / len(every)
    return [
        rules.judged(
            f"at least {percent(rules.ACCEPTED)} of trials accepted",
            share >= rules.ACCEPTED,
            f"{accepted} of {len(every)} ({percent(share, 1)}), {kept.count('accepted')} of "
            f"{len(kept)} without the blocks that were measured again",
        ),
        rules.judged(
            "no trial suspect of our own doing",
            not ours,
            f"reasons of our own doing: {len(ours)} in the kept blocks",
        ),
    ]


def _of_cells(pilot: Pilot) -> rules.Line:
    cells = limited_cells(pilot)
    own = sum(limit == GATEWAY for limit in cells.values())
    says = f"every cell of {SUITES} limited by a gateway's processor"
    if not cells:
        return rules.judged(says, False, f"no block of {SUITES}", known=False)
    why = f"{own} of {len(cells)} cells; any other is listed under Limits"
    return rules.judged(says, own == len(cells), why)


def _of_like_and_like(pilot: Pilot) -> rules.Line:
    found = compared(pairs(pilot.notebooks), 8)
    n, false = len(found), int(found["false"].sum())
    least, most = map(percent, rules.FALSE)
    says = f"false differences of like and like {least} to {most}"
    if not n:
        return rules.judged(says, False, "no pair of like and like", known=False)
    share, ends = false / n, binomtest(false, n).proportion_ci()
    inside = rules.FALSE[0] <= share <= rules.FALSE[1]
    certain = ends.low > rules.FALSE[1] or ends.high < rules.FALSE[0]
    low, high = percent(ends.low), percent(ends.high)
    why = f"{false} of {n} comparisons ({percent(share)}; 95 %: {low} to {high})"
    return rules.judged(says, inside, why, known=inside or certain)


def changes(pilot: Pilot, decided: pd.DataFrame) -> list[str]:
    """The changes of the plan by pilot_rules.RULES; a line each."""
    found = [
        f"- {name}: plan {pilot.lengths[name].minutes:.1f} minutes per block instead of "
        f"{before.minutes:.1f}."
        for name, before in pilot.planned.items()
        if abs(pilot.lengths[name].minutes / before.minutes - 1) > rules.MINUTES
    ]
    blocks, minutes, size = rules.with_fewer_blocks(pilot.plan, pilot.lengths)
    found += [
        f"- {name}: {count} blocks instead of {pilot.plan.scenarios[name].design.blocks}."
        for name, count in blocks.items()
        if count != pilot.plan.scenarios[name].design.blocks
    ]
    if minutes > rules.ROUND_MINUTES or size > rules.MEGABYTES:
        found.append(
            f"- algorithm-sweep: leave out two payloads, since a round still takes {minutes:.0f} "
            f"minutes, and all rounds {size:.0f} MB."
        )
    held = [cell for cell, limit in limited_cells(pilot).items() if limit == LINK]
    if held:
        found.append(f"- {SUITES}: {len(held)} cells are not asked: a link limits them.")
    if _undecided(decided) > rules.UNDECIDED:
        found.append("- suite-cost and psk-rsa: a third block in each round, if there is time.")
    return found or ["Nothing."]


def _undecided(decided: pd.DataFrame) -> float:
    """Undecided statements in the mean of simulated campaigns; NaN without statements."""
    sums = undecided(decided).query("study == 'all'")["undecided"]
    return float(sums.iloc[-1]) if len(sums) else np.nan


def undecided_table(decided: pd.DataFrame) -> pd.DataFrame:
    table = undecided(decided).reset_index("study").round(1)
    return table.rename(columns={"strict": "undecided, family-wise", "statements": "asked"})


def _table(found: pd.DataFrame) -> list[str]:
    """A table in Markdown."""
    if found.empty:
        return ["None."]

    def line(cells: Iterable[object]) -> str:
        return f"| {' | '.join(str(cell) for cell in cells)} |"

    rows = found.to_numpy(dtype=object).tolist()
    return [line(found.columns), "|" + "---|" * len(found.columns), *map(line, rows)]
