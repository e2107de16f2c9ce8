"""Compute how long a campaign takes on the nodes of a cluster; write the table of docs/cluster.md.

    env/run python env/benchmarks/cluster.py

The campaign has the blocks of profile paper of each scenario in config/config.yaml, on the testbeds
of its campaigns: the lab, virtual time, or both. A block takes its plan, times the ratio of time to
plan of its scenario's released blocks; without any on that testbed, the median over scenarios. A
block in virtual time takes one processor of a node, any other block a node. The longest blocks
begin first.
"""

import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from remeasure.bench.base.paths import RAW, ROOT
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.build import read_build
from remeasure.bench.campaign.folder import frozen_with
from remeasure.bench.campaign.plan import block_seconds
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.campaign.virtual_blocks import read_machines
from remeasure.bench.lab.testbeds import is_virtual
from remeasure.paper.publish.codebook import updated

PAGE = ROOT / "docs/cluster.md"
PROFILE = "paper"
NODES = (1, 4, 16, 64)
PROCESSORS = 2
"""processors of a node, as the machine had that measured the released campaigns"""


@dataclass(frozen=True)
class Block:
    scenario: str
    virtual: bool
    seconds: float


def measured_seconds(path: Path, virtual: bool) -> float:
    """How long a released block took to measure [s]."""
    if virtual:
        whole = read_machines(path)
        most = max(one.trials for one in whole)
        return statistics.median(one.seconds for one in whole if one.trials == most)
    sessions = BlockArchive(path).block["sessions"]
    return sum(one["end_ns"] - one["start_ns"] for one in sessions) / 1e9


def measured_over_plan() -> dict[bool, dict[str, float]]:
    """Whether in virtual time -> scenario -> the longest time of a block over its plan."""
    found: dict[bool, dict[str, float]] = {False: defaultdict(float), True: defaultdict(float)}
    for path in sorted(RAW.glob("*/*/block-*.zip")):
        if not (path.parent.parent / "manifest.json").exists():
            continue
        frozen, scenario = frozen_with(path)
        virtual = is_virtual(frozen.testbed)
        ratio = measured_seconds(path, virtual) / block_seconds(scenario)
        if frozen.testbed.get("backend") in ("uml", "virtual"):
            of = found[virtual]
            of[scenario.name] = max(of[scenario.name], ratio)
    return found


def blocks() -> list[Block]:
    """The blocks of the campaign."""
    over_plan = measured_over_plan()
    found = []
    for name, campaigns in read_build().campaigns.items():
        scenario = load_scenario(name, PROFILE)
        for virtual in {is_virtual(testbed_of(campaign)) for campaign in campaigns}:
            known = over_plan[virtual]
            ratio = known.get(name) or statistics.median(known.values())
            one = Block(name, virtual, ratio * block_seconds(scenario))
            found += [one] * scenario.design.blocks
    return found


def testbed_of(campaign: str) -> dict[str, object]:
    return frozen_with(next((RAW / campaign).glob("*/block-*.zip")))[0].testbed


def duration(all_blocks: list[Block], nodes: int) -> float:
    """Time from the first block to the end of the last one [s]."""
    free = [[0.0] * PROCESSORS for _ in range(nodes)]
    for block in sorted(all_blocks, key=lambda one: (one.virtual, -one.seconds)):
        node = min(free, key=min if block.virtual else max)
        if block.virtual:
            node[node.index(min(node))] += block.seconds
        else:
            node[:] = [max(node) + block.seconds] * PROCESSORS
    return max(max(node) for node in free)


def table(all_blocks: list[Block]) -> str:
    total = sum(b.seconds / (PROCESSORS if b.virtual else 1) for b in all_blocks)
    longest = max(all_blocks, key=lambda block: block.seconds)
    lines = ["| nodes | hours | hours if all nodes were always busy |", "|---|---|---|"]
    lines += [
        f"| {nodes} | {duration(all_blocks, nodes) / 3600:.1f} | {total / nodes / 3600:.1f} |"
        for nodes in NODES
    ]
    virtual = sum(block.virtual for block in all_blocks)
    where = "in virtual time" if longest.virtual else "in the lab"
    lines += [
        "",
        f"The campaign has {len(all_blocks)} blocks, {virtual} of them in virtual time. A node has "
        f"{PROCESSORS} processors. The longest block is one of {longest.scenario} {where}: "
        f"{longest.seconds / 3600:.1f} hours. No number of nodes makes the campaign shorter.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(), PAGE, {"durations": lambda: table(blocks())}))
