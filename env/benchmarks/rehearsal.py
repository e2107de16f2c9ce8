"""Report on a rehearsal, one round of a campaign, measured on a branch and thrown away:

    env/run python env/benchmarks/rehearsal.py CAMPAIGN [FOLDER]

Prints Markdown: trials, blocks that were measured again, pace, minutes and megabytes. With FOLDER,
the results of a build, it adds limits, payloads of packets, deviations between trials, like against
like. No value of a level is printed, so nobody sees a result before the campaign. After a whole
round come the plan of campaign 1.0, and the decisions that a pilot and the rehearsal led to
(`decisions.md`).
"""

import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_json
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.attempts import REPLACED
from remeasure.bench.campaign.folder import block_path, campaign_folder, read_frozen
from remeasure.bench.campaign.pace import pace_of_trial, spread_of_pace
from remeasure.bench.campaign.plan import known_blocks, length_of
from remeasure.bench.campaign.profiles import profile_of
from remeasure.bench.campaign.record import TrialRecord
from remeasure.bench.campaign.rounds import campaign_rounds
from remeasure.bench.measure.round import disturbances_of, pace_of
from remeasure.paper.analysis.limits.rate_limits import LIKE_PAYLOADS
from remeasure.paper.notebook.results import own
from remeasure.paper.publish.planning.opened import opened
from remeasure.paper.publish.planning.plan_text import LONGEST, minutes_of, percent, planned

RELEASE = "release"
"""profile of campaign 1.0"""
ACCEPTED = 0.97
"""least share of trials to be accepted at the first attempt"""
_OUTSIDE = ("foreign processor use", "steal processor use", "was set by", "slept")
"""words of doubts that come from other programs, or from under the machine"""
_FOUND = re.compile(r"\d+ of \d+ | [\d.]+%(?=,)")
"""what was found, in a reason"""
_SIMULATED = 10
"""campaigns that the plan simulates"""
_COSTS = {"cpu_per_packet", "cpu_per_megabyte"}


class Rehearsal(NamedTuple):
    """The blocks of a campaign."""

    campaign: str
    blocks: list[BlockArchive]
    """blocks that count"""
    replaced: list[tuple[BlockArchive, list[str]]]
    """attempts at blocks that were put aside, with the reasons"""

    def first_attempts(self) -> Iterator[tuple[str, TrialRecord]]:
        """Scenario and first attempt of each trial, in the first attempt at its block."""
        firsts = {_of_block(one): one for one in self.blocks}
        firsts |= {
            _of_block(one): one
            for one, _ in reversed(self.replaced)
            if ".attempt-" in one.path.name
        }
        for (scenario, _), block in sorted(firsts.items()):
            earlier = {one.record["order"]: one.record for one in reversed(block.measured_again)}
            for trial in block.trials:
                yield scenario, earlier.get(trial.record["order"], trial.record)


def _of_block(archive: BlockArchive) -> tuple[str, str]:
    return archive.path.parent.name, archive.path.name.partition(".")[0]


def read(campaign: str) -> Rehearsal:
    """All blocks. Raises UserError if the campaign has none."""
    folder = campaign_folder(campaign)
    blocks = [BlockArchive(path) for path in sorted(folder.glob("*/block-*.zip"))]
    if not blocks:
        raise UserError(f"{folder}: found no block, expected a round")
    aside = sorted((folder / REPLACED).glob("*/*.zip"))
    reasons = (p.with_suffix(".json") for p in aside)
    told: list[Any] = [read_json(str(p), p.read_bytes()) for p in reasons]
    pairs = zip(aside, told, strict=True)
    return Rehearsal(campaign, blocks, [(BlockArchive(p), t["reasons"]) for p, t in pairs])


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table in Markdown; a word if it has no row."""
    found = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *found] if found else ["None."]


def of_trials(of: Rehearsal) -> list[str]:
    """Trials at the first attempt: those accepted, and the reasons of all others."""
    firsts = [*of.first_attempts()]
    accepted = sum(trial["verdict"] == "accepted" for _, trial in firsts)
    reasons: Counter[tuple[str, str, str]] = Counter()
    ours = 0
    for scenario, trial in firsts:
        told = [
            *trial["reasons"],
            *(why for run in trial.get("runs", ()) for why in run.get("reasons", ())),
        ]
        own = trial["verdict"] == "suspect"
        own &= not any(word in reason for reason in told for word in _OUTSIDE)
        ours += own
        verdict = trial["verdict"] + (", ours" if own else "")
        for reason in trial["reasons"] if verdict != "accepted" else ():
            reasons[scenario, verdict, _FOUND.sub("", reason)] += 1
    share = accepted / len(firsts)
    return [
        f"{accepted} of {len(firsts)} trials ({percent(share)}) were accepted at the first "
        f"attempt; expected at least {percent(ACCEPTED)}. Suspect of our own doing: {ours}; "
        "expected none.",
        "",
        *table(
            ["scenario", "verdict", "reason", "trials"],
            ((*key, count) for key, count in reasons.most_common()),
        ),
    ]


def of_pace(of: Rehearsal) -> list[str]:
    """Spread of pace within each block, its median over the fastest block's, the number of trials
    that were measured again for their pace, and why the gate of campaign 1.0 would refuse it."""
    paces = {one.path: pace_of([t.record for t in one.trials]) for one in of.blocks}
    known = [pace for pace in paces.values() if math.isfinite(pace)]
    if not known:
        return ["No pace was recorded."]
    fastest, gate, rows = min(known), profile_of(RELEASE).gate, []
    for one in of.blocks:
        records = [trial.record for trial in one.trials]
        told = [pace for trial in records if (pace := pace_of_trial(trial))]
        ends = f"{min(told) / fastest:.2f} to {max(told) / fastest:.2f}"
        again, spread = len(one.measured_again), percent(spread_of_pace(records))
        refused = "; ".join(disturbances_of(records, gate, float(np.median(known))))
        pace = f"{paces[one.path] / fastest:.2f}"
        rows.append((*_of_block(one), pace, ends, spread, f"{again} of {len(records)}", refused))
    refused = sum(bool(row[-1]) for row in rows)
    heads = ("scenario", "block", "pace", "its trials", "spread", "trials measured again")
    return [
        f"A pace of 1 is the fastest block's, {fastest / 1e9:.2f} s for the fixed computation; the "
        f"slowest block's is {max(known) / fastest:.2f}. The gate of profile {RELEASE} refuses "
        f"{refused} of these {len(rows)} blocks. Spread is from the 10th percentile to the 90th.",
        "",
        *table((*heads, f"refused by the gate of {RELEASE}"), rows),
    ]


def of_lengths(of: Rehearsal) -> list[str]:
    """Minutes and megabytes of each block next to the plan."""
    frozen, known = read_frozen(of.campaign), known_blocks()
    assert frozen
    plan = campaign_rounds(of.campaign, None, frozen.seed)
    lengths = {name: length_of(scenario, known) for name, scenario in plan.scenarios.items()}
    rows, minutes, due, size, room = [], 0.0, 0.0, 0.0, 0.0
    for one in of.blocks:
        name = one.path.parent.name
        took = _minutes(one)
        megabytes = one.path.stat().st_size / 1e6
        minutes, size = minutes + took, size + megabytes
        due, room = due + lengths[name].minutes, room + lengths[name].megabytes
        cells = (f"{took:.1f}", f"{lengths[name].minutes:.1f}", f"{megabytes:.2f}")
        rows.append((*_of_block(one), *cells, f"{lengths[name].megabytes:.2f}"))
    again = sum(_minutes(one) for one, _ in of.replaced)
    longest = max(minutes_of(one, lengths) for one in plan.rounds)
    rounds = len(plan.rounds)
    hours = sum(minutes_of(one, lengths) for one in plan.rounds) / 60 * minutes / due
    every = sum(lengths[name].megabytes for one in plan.rounds for name, _ in one) * size / room
    said = (
        f"These blocks took {minutes:.0f} minutes (planned {due:.0f}) and {size:.1f} MB (planned "
        f"{room:.1f}); attempts that were put aside took {again:.0f} minutes more."
    )
    if is_whole(of):
        said += (
            f" At that pace all {rounds} rounds take {hours:.1f} hours and {every:.0f} MB. The "
            f"longest planned round takes {longest:.0f} minutes, allowed {LONGEST}. With the "
            f"attempts put aside, a stretch of {LONGEST} minutes held "
            f"{LONGEST * due / (minutes + again):.0f} minutes of the plan."
        )
    return [
        said,
        "",
        *table(("scenario", "block", "minutes", "planned", "MB", "planned MB"), rows),
    ]


def of_guests(of: Rehearsal) -> list[str]:
    """The stretches in which guests of one image and kernel were made, and changed packages."""
    sessions = sorted(
        (one for block in of.blocks for one in block.block["sessions"]),
        key=lambda one: one["start_ns"],
    )
    changed = {
        f"{name} {then} -> {now}"
        for one in sessions
        for name, (then, now) in one.get("changed_packages", {}).items()
    }
    built = {one["image"]["built"] for one in sessions}
    kernels = {str(one.get("kernel")) for one in sessions}
    pauses = [b["start_ns"] - a["end_ns"] for a, b in pairwise(sessions) if "end_ns" in a]
    return [
        f"{len(sessions)} sessions; the longest pause between two took "
        f"{max(pauses, default=0) / 60e9:.0f} minutes. Builds of the image: {len(built)}. "
        f"Kernels of guests, by source and configuration: {len(kernels)}. "
        f"Packages that changed since the first block: {', '.join(sorted(changed)) or 'none'}.",
    ]


def _minutes(one: BlockArchive) -> float:
    sessions = one.block["sessions"]
    return sum(of.get("end_ns", of["start_ns"]) - of["start_ns"] for of in sessions) / 60e9


def of_tables(of: Rehearsal, folder: Path) -> list[str]:
    """Deviations of trials of a cell between blocks, limits of runs, and the payload that packets
    of different cells carry; then like against like."""
    lines, notebooks = [], {}
    for name in dict.fromkeys(one.path.parent.name for one in of.blocks):
        paths = [one.path for one in of.blocks if one.path.parent.name == name]
        notebook = notebooks[name] = opened(name, folder / "tidy" / name, paths)
        lines += [
            f"### {name}",
            "",
            *_limits(notebook),
            *_payloads(notebook),
            *_noise(notebook),
            "",
        ]
    return lines + _likeness(notebooks, folder)


def of_plan(of: Rehearsal) -> list[str]:
    """The plan of campaign 1.0 from what is released and from the pilot's lengths."""
    frozen = read_frozen(of.campaign)
    assert frozen
    parts = planned("lab-1.0", RELEASE, frozen.seed, _SIMULATED)
    return ["```", "\n\n".join(parts), "```"]


def _likeness(notebooks: Mapping[str, Any], folder: Path) -> list[str]:
    """One treatment under two names, compared as notebook calibration does: the only differences
    that a rehearsal may print."""
    if "calibration" not in notebooks:
        return []
    asks = own("calibration", "asks")
    others = {name.partition(",")[0] for name in asks.OTHERS} & set(notebooks)
    tables = {name: str((folder / "tidy" / name).resolve()) for name in sorted(others)}
    trials = asks.Calibration(notebooks["calibration"], "mean", tables)
    every = trials.rates.loc["all"]
    rows = (
        (source, row["probe"], row["metric"], _interval(row), *_yes(row["false"], row["alike"]))
        for source, found in trials.alike.items()
        for _, row in found.iterrows()
    )
    heads = ("source", "probe", "metric", "ratio", "differs", "alike")
    return [
        "### Like against like",
        "",
        f"Of {every['comparisons']:.0f} comparisons {every['false']:.0f} differed for certain, and "
        f"{every['alike']:.0f} are shown to be alike, within the smallest effect that matters; a "
        "difference smaller than that may be certain, too. A row is a cell. A comparison needs "
        f"{asks.FEWEST} blocks.",
        "",
        *table(heads, rows),
    ]


def _interval(row: pd.Series) -> str:
    """Value and interval, with so many digits that both ends differ from the value."""
    for digits in range(3, 9):
        value, low, high = (f"{row[name]:.{digits}f}" for name in ("value", "low", "high"))
        if low != value != high:
            return f"{value} [{low}, {high}]"
    return value


def _yes(*found: bool) -> list[str]:
    return ["yes" if one else "no" for one in found]


def _limits(notebook: Any) -> list[str]:
    counts = notebook.limits["limit"].value_counts() if len(notebook.limits) else {}
    said = ", ".join(f"{limit} {count}" for limit, count in counts.items())
    return [f"Runs by their limit: {said}.", ""] if said else []


def _payloads(notebook: Any) -> list[str]:
    """Bytes that a packet carries, which is the ratio of both costs of a run: between cells of one
    probe, transport and payload, where each cell is the mean of its blocks."""
    found = notebook.summaries[notebook.summaries["metric"].isin(_COSTS)]
    if found["metric"].nunique() < len(_COSTS):
        return []
    keys = [c for c in found if c not in ("metric", "unit", "value")]
    both = found.pivot_table("value", keys, "metric", observed=True, dropna=False)
    carried = (both["cpu_per_packet"] / both["cpu_per_megabyte"]).dropna().reset_index(name="value")
    cell = [c for c in keys if c not in ("block", "trial")]
    means = carried.groupby(cell, observed=True, dropna=False)["value"].mean().reset_index()
    by = [c for c in ("probe", "transport", "payload") if c in means]
    ends = means.groupby(by, observed=True)["value"].agg(["min", "max"])
    over = (ends["max"] / ends["min"] - 1).rename("over").reset_index()
    rows = (
        (
            " ".join(filter(None, key)),
            len(group),
            (group["over"] <= LIKE_PAYLOADS - 1).sum(),
            percent(group["over"].max()),
        )
        for key, group in over.groupby([c for c in by if c != "payload"], observed=True)
    )
    heads = (
        "traffic",
        "payloads",
        f"carry alike within {percent(LIKE_PAYLOADS - 1)}",
        "most over fewest",
    )
    return ["Bytes in a packet, between cells:", "", *table(heads, rows), ""]


def _noise(notebook: Any) -> list[str]:
    """Deviations [%] of logarithms, of metrics above 0, between blocks of one cell."""
    summaries = notebook.summaries
    own = [c for c in summaries if c not in ("block", "trial", "unit", "value")]
    above = summaries.groupby(["probe", "metric"], observed=True)["value"].transform("min") > 0
    logs = summaries[above].assign(value=lambda rows: np.log(rows["value"]))
    spread = logs.groupby(own, observed=True, dropna=False)["value"].agg(["var", "count"])
    spread = spread[spread["count"] > 1].reset_index()
    rows = [
        (*map(str, key), len(group), f"{100 * np.expm1(np.sqrt(group['var'].mean())):.2g} %")
        for key, group in spread.groupby(["probe", "metric"], observed=True)
    ]
    if not rows:
        return ["One block, so no deviation between blocks."]
    return table(("probe", "metric", "cells", "deviation between blocks"), rows)


def is_whole(of: Rehearsal) -> bool:
    """Whether the first round is measured."""
    frozen = read_frozen(of.campaign)
    assert frozen
    first = campaign_rounds(of.campaign, None, frozen.seed).rounds[0]
    return all(block_path(of.campaign, *place).exists() for place in first)


def head(of: Rehearsal) -> str:
    """The title, what was measured, and by which code."""
    frozen = read_frozen(of.campaign)
    assert frozen
    scenarios = campaign_rounds(of.campaign, None, frozen.seed).scenarios
    others = sorted(set(scenarios) - {one.path.parent.name for one in of.blocks})
    part = "the whole first round among them" if is_whole(of) else "not a whole round"
    return (
        f"# Rehearsal {of.campaign}\n\nProfile {frozen.profile}, commit {frozen.software}, begun "
        f"{frozen.created}. Made by `env/benchmarks/rehearsal.py`. Its blocks are thrown away: no "
        f"number of the paper comes from them. Blocks: {len(of.blocks)}, {part}. "
        f"Scenarios not measured: {', '.join(others) or 'none'}."
    )


def main(campaign: str, folder: str = "") -> None:
    of = read(campaign)
    again = defaultdict(list)
    for one, reasons in of.replaced:
        again[_of_block(one)].append(f"{one.path.stem}: {'; '.join(reasons)}")
    sections = {
        "Trials": of_trials(of),
        "Blocks that were measured again": table(
            ("scenario", "block", "attempts and reasons"),
            ((*key, "<br>".join(told)) for key, told in again.items()),
        ),
        "Pace": of_pace(of),
        "Guests": of_guests(of),
        "Minutes and megabytes": of_lengths(of),
    }
    if folder:
        found = of_tables(of, Path(folder))
        sections["Limits, packets, deviations, like against like"] = found
    if is_whole(of):
        sections["Plan of campaign 1.0"] = of_plan(of)
        sections["Decisions"] = [Path(__file__).with_name("decisions.md").read_text()]
    print(head(of))
    for title, lines in sections.items():
        print("\n".join(["", f"## {title}", "", *lines]).rstrip())


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except UserError as error:
        sys.exit(f"rehearsal: {error}")
