"""Whether the blocks that tables are to be made from belong together, and where they lie."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from remeasure.campaign.archive import BlockArchive
from remeasure.campaign.folder import frozen_with
from remeasure.campaign.scenario import Scenario, key_of
from remeasure.errors import UserError


def require_distinct(blocks: Sequence[Path]) -> Sequence[Path]:
    """`blocks`. Raises UserError naming a file that is given twice."""
    seen: set[Path] = set()
    for path in blocks:
        if path.resolve() in seen:
            raise UserError(f"{path}: given twice; each block makes its rows once")
        seen.add(path.resolve())
    return blocks


def require_different(blocks: Mapping[Path, dict]) -> None:
    """Raises UserError naming two files that hold the same block. `blocks`: file -> its
    block.json."""
    seen: dict[tuple, Path] = {}
    for path, block in blocks.items():
        key = tuple(block[field] for field in ("campaign", "scenario", "block"))
        if key in seen:
            raise UserError(
                f"{path}: block.json: block {key[2]} of {key[0]}/{key[1]}, as {seen[key]} is; "
                "restore both, or give one of them"
            )
        seen[key] = path


def check_place(blocks: Mapping[Path, dict]) -> Scenario:
    """The scenario of the blocks in one folder of a campaign: file -> its block.json. Raises
    UserError naming a block of which the folder, or campaign.yaml, says something else."""
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
        number = path.stem.removeprefix("block-")
        if number.isdecimal():
            expected["block"] = int(number)
        for field, value in expected.items():
            if block[field] != value:
                raise UserError(
                    f"{path}: block.json: {field}: found {block[field]!r}, expected {value!r}, by "
                    "its folder and campaign.yaml; it belongs elsewhere"
                )
        found = sorted(map(key_of, block["order"]))
        if other := [cell for cell in [*found, *cells] if (cell in found) != (cell in cells)]:
            raise UserError(
                f"{path}: block.json: order: cell {other[0]} is "
                f"{'not in' if other[0] in found else 'missing, but in'} the scenario as "
                "campaign.yaml has it"
            )
    return scenario


def check_levels(archive: BlockArchive, levels: Mapping[str, list[str]]) -> None:
    """Check the levels of a block's trials. `levels`: factor -> all that it has. Raises UserError
    naming one that is unknown."""
    for trial in archive.trials:
        record = trial.record
        entries = [*record["logs"], *record["counters"], *record.get("runs", [])]
        for found in [record["cell"], *(entry.get("levels", {}) for entry in entries)]:
            for factor, level in found.items():
                if level not in levels.get(factor, ()):
                    raise UserError(
                        f"{archive.path}: {trial.folder}/trial.json: {factor}: found {level!r}, "
                        f"expected {', '.join(levels.get(factor, ())) or 'no such factor'}"
                    )
