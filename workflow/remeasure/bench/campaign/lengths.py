"""How long a block takes and how large its archive is: measured where blocks of its scenario are
there. A block of another profile is scaled by the planned time of its probes. This is rough: the
rest of a trial does not grow with its probes. Archives of older formats are several times as large,
and tell no size."""

import math
import statistics
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from remeasure.bench.base.files import read_yaml
from remeasure.bench.base.paths import RAW
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


def released_campaigns() -> list[str]:
    return sorted(path.parent.name for path in RAW.glob(f"*/{MANIFEST}"))


def measured_blocks(campaigns: Iterable[str], hosts: HostWord = "guests") -> list[Measured]:
    """The blocks of campaigns that were measured on `hosts`. Raises UserError for a damaged one."""
    paths = [path for name in campaigns for path in sorted(campaign_folder(name).glob("*/*.zip"))]
    return [one for path in paths if (one := _measured(path, hosts))]


def _measured(path: Path, hosts: HostWord) -> Measured | None:
    sessions = BlockArchive(path).block["sessions"]
    if not sessions or any(host_word(one["guests"]) != hosts for one in sessions):
        return None
    planned = block_seconds(measured_scenario(path))
    name, scenario = path.parent.parent.name, path.parent.name
    campaign: Any = read_yaml(path.parent.parent / "campaign.yaml")
    present = campaign["format"] == FORMAT
    size = path.stat().st_size / 1e6 if present else math.nan
    return Measured(scenario, name, seconds_of(sessions), planned, size)


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
    seconds, size, then = (
        statistics.mean(getattr(one, field) for one in own)
        for field in ("seconds", "megabytes", "planned")
    )
    factor = planned / then
    exact = abs(factor - 1) < _ALIKE
    factor = 1.0 if exact else factor
    word = "measured" if exact else f"scaled by {factor:.2g}"
    source = f"{word}, {len(own)} block{'s' if len(own) > 1 else ''} of {own[0].campaign}"
    known = math.isfinite(size)
    return Length(seconds * factor / 60, size * factor if known else guess, source, not known)
