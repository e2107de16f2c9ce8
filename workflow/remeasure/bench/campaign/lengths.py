"""How long a block takes and how large its archive is: measured where blocks of its scenario are
there. A block of another profile is scaled probe by probe: the planned time of a probe, times the
ratio of measured to planned time in the block that is there. The rest of a trial, such as its
checks, keeps its length. Archives of older formats are several times as large, and tell no
size."""

import json
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from remeasure.bench.base.files import read_yaml
from remeasure.bench.base.paths import RAW, ROOT
from remeasure.bench.campaign.archive import FORMAT, BlockArchive
from remeasure.bench.campaign.folder import campaign_folder, measured_scenario
from remeasure.bench.campaign.plan import block_seconds
from remeasure.bench.campaign.release import MANIFEST
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.testbed.host_kind import HostWord, host_word

_INTERRUPTED_S = 120.0
"""a longer time between two sessions of a block [s] is an interruption, not a start of hosts"""
_ALIKE = 0.02
"""largest difference of planned times at which a block is taken as it was measured, 0 to 1"""
PILOT = ROOT / "data/pilot.json"
"""the blocks of a pilot as `Measured`, which outlive it"""


class Length(NamedTuple):
    """Duration and size of one block."""

    minutes: float
    """from its first trial to its last, starts of hosts included [min]"""
    megabytes: float
    """size of its archive [MB]"""
    source: str
    """where the minutes come from: measured, scaled or planned, in words"""
    guess: bool = False
    """whether the size is a guess: the median size of other blocks per planned second"""


class Measured(NamedTuple):
    """One block that is there."""

    scenario: str
    campaign: str
    seconds: float
    """duration [s]"""
    planned: float
    """planned duration of its probes [s]"""
    megabytes: float
    """NaN in an older format"""
    factors: Mapping[str, float] = {}
    """probe -> measured duration of its runs over the planned one; none if runs are not recorded"""
    rest: float = 0.0
    """time of a trial outside of runs, starts of hosts included [s]"""


def released_campaigns() -> list[str]:
    return sorted(path.parent.name for path in RAW.glob(f"*/{MANIFEST}"))


def measured_blocks(campaigns: Iterable[str], hosts: HostWord = "guests") -> list[Measured]:
    """The blocks of campaigns that were measured on `hosts`. Raises UserError for a damaged one."""
    paths = [path for name in campaigns for path in sorted(campaign_folder(name).glob("*/*.zip"))]
    return [one for path in paths if (one := _measured(path, hosts))]


def known_blocks() -> list[Measured]:
    """The blocks of released campaigns, then of the pilot that was thrown away. Raises UserError
    for a damaged one."""
    pilot = json.loads(PILOT.read_text())["blocks"] if PILOT.exists() else []
    return [*measured_blocks(released_campaigns()), *(Measured(**block) for block in pilot)]


def _measured(path: Path, hosts: HostWord) -> Measured | None:
    archive = BlockArchive(path)
    sessions = archive.block["sessions"]
    if not sessions or any(host_word(one["guests"]) != hosts for one in sessions):
        return None
    scenario, seconds = measured_scenario(path), seconds_of(sessions)
    runs: Counter[str] = Counter()
    for trial in archive.trials:
        for run in trial.record.get("runs", []):
            runs[run["name"]] += run["end_ns"] - run["start_ns"]
    planned = _probe_seconds(scenario)
    campaign: Any = read_yaml(path.parent.parent / "campaign.yaml")
    present = campaign["format"] == FORMAT
    return Measured(
        scenario.name,
        path.parent.parent.name,
        seconds,
        block_seconds(scenario),
        path.stat().st_size / 1e6 if present else math.nan,
        {name: ns / 1e9 / planned[name] for name, ns in runs.items() if planned.get(name)},
        (seconds - sum(runs.values()) / 1e9) / len(archive.trials),
    )


def _probe_seconds(scenario: Scenario) -> dict[str, float]:
    """Probe, without the levels that `each` gave it -> planned duration of its runs in a block
    [s]."""
    found: dict[str, float] = {}
    for cell in scenario.cells:
        for name, probe in scenario.settings(cell).probes.items():
            base = name.partition(".")[0]
            found[base] = found.get(base, 0.0) + probe.seconds() * probe.repeats
    return found


def seconds_of(sessions: list[dict[str, Any]]) -> float:
    """Duration of a block [s]: its sessions, and the starts of hosts between them."""
    trials = sum(one.get("end_ns", one["start_ns"]) - one["start_ns"] for one in sessions)
    gaps = [b["start_ns"] - a.get("end_ns", a["start_ns"]) for a, b in pairwise(sessions)]
    starts = sum(gap for gap in gaps if gap < _INTERRUPTED_S * 1e9)
    return float(trials + starts) / 1e9


def length_of(scenario: Scenario, blocks: Iterable[Measured]) -> Length:
    """Expected length of a block of a scenario. Of several campaigns with the scenario the last one
    in `blocks` counts; without any, the planned time of its probes."""
    every = list(blocks)
    own = [one for one in every if one.scenario == scenario.name]
    own = [one for one in own if one.campaign == own[-1].campaign]
    planned = block_seconds(scenario)
    sizes = [one.megabytes / one.planned for one in every if one.planned]
    guess = planned * statistics.median([s for s in sizes if math.isfinite(s)] or [0.0])
    if not own:
        return Length(planned / 60, guess, "planned", guess=True)
    before, size, then = (
        statistics.mean(getattr(one, field) for one in own)
        for field in ("seconds", "megabytes", "planned")
    )
    exact = abs(planned / then - 1) < _ALIKE
    seconds = before if exact else statistics.mean(_scaled(scenario, one) for one in own)
    factor = 1.0 if exact else seconds / before
    word = "measured" if exact else f"scaled by {factor:.2g}"
    source = f"{word}, {len(own)} block{'s' if len(own) > 1 else ''} of {own[0].campaign}"
    known = math.isfinite(size)
    return Length(seconds / 60, size * factor if known else guess, source, not known)


def _scaled(scenario: Scenario, block: Measured) -> float:
    """Duration of a block of `scenario` [s], by a block of another profile."""
    if not block.factors:
        return block.seconds * block_seconds(scenario) / block.planned
    usual = statistics.median(block.factors.values())
    runs = sum(
        seconds * block.factors.get(name, usual)
        for name, seconds in _probe_seconds(scenario).items()
    )
    return runs + block.rest * len(scenario.cells)
