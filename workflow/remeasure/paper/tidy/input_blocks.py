"""Whether the blocks that tables are to be made from belong together, and where they lie."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import number_of
from remeasure.bench.campaign.folder import frozen_with
from remeasure.bench.campaign.release import MANIFEST
from remeasure.bench.campaign.scenario import Scenario, key_of


def require_distinct(blocks: Sequence[Path]) -> Sequence[Path]:
    """`blocks`. Raises UserError naming a file that is given twice."""
    seen: set[Path] = set()
    for path in blocks:
        if path.resolve() in seen:
            raise UserError(f"{path}: given twice; each block makes its rows once")
        seen.add(path.resolve())
    return blocks


def require_different(blocks: Mapping[Path, dict[str, Any]]) -> None:
    """Raises UserError naming two files that hold the same block. `blocks`: file -> its
    block.json."""
    seen: dict[tuple[Any, ...], Path] = {}
    for path, block in blocks.items():
        key = (block["campaign"], block["scenario"], number_of(path, block))
        if key in seen:
            raise UserError(
                f"{path}: block.json: block {key[2]} of {key[0]}/{key[1]}, as {seen[key]} is; "
                "restore both, or give one of them"
            )
        seen[key] = path


def scenario_of(blocks: Mapping[Path, dict[str, Any]]) -> Scenario:
    """The scenario of the blocks in one folder of a campaign, as campaign.yaml has it. `blocks`:
    file -> its block.json. Raises UserError naming a block that belongs elsewhere.

    A released campaign has first versions of blocks that were measured again, numbered after those
    that were planned: all that was measured is in the tables, and each record stays as it was."""
    first = next(iter(blocks))
    frozen, scenario = frozen_with(first)
    cells = sorted(map(key_of, scenario.cells))
    for path, block in blocks.items():
        expected = {
            "campaign": frozen.campaign,
            "scenario": scenario.name,
            "profile": frozen.profile,
            "seed": frozen.seed,
        }
        number, planned = number_of(path, block), scenario.design.blocks
        released = (first.resolve().parents[1] / MANIFEST).exists()
        if not (number > planned >= block["block"] and released):
            expected["block"] = number
        for field, value in expected.items():
            if block[field] != value:
                raise UserError(
                    f"{path}: block.json: {field}: found {block[field]!r}, expected {value!r}, by "
                    "its folder and campaign.yaml; it belongs elsewhere"
                )
        if sorted(map(key_of, block["order"])) != cells:
            raise UserError(
                f"{path}: block.json: order: found other cells than the scenario in campaign.yaml "
                "has; it belongs elsewhere"
            )
    return scenario
