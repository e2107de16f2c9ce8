"""Whether the blocks that tables are to be made from belong together, and where they lie."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import BlockArchive, number_of
from remeasure.bench.campaign.folder import frozen_with
from remeasure.bench.campaign.scenario import key_of
from remeasure.bench.campaign.signed import MANIFEST
from remeasure.paper.tidy.planned import Plan


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


def check_place(blocks: Mapping[Path, dict[str, Any]]) -> Plan:
    """What was planned for the blocks in one folder of a campaign: file -> its block.json. Raises
    UserError naming a block of which the folder, or campaign.yaml, says something else.

    A released campaign has first versions of blocks that were measured again, numbered after those
    that were planned: all that was measured is in the tables, and each record stays as it was."""
    first = next(iter(blocks))
    plan = Plan(*frozen_with(first))
    frozen, scenario = plan.frozen, plan.scenario
    if frozen.campaign != (folder := first.resolve().parents[1]).name:
        raise UserError(
            f"{first.parents[1] / 'campaign.yaml'}: campaign: found {frozen.campaign!r}, expected "
            f"{folder.name!r}, the name of its folder"
        )
    cells = sorted(map(key_of, scenario.cells))
    for path, block in blocks.items():
        expected = {
            "campaign": frozen.campaign,
            "scenario": scenario.name,
            "profile": frozen.profile,
            "seed": frozen.seed,
        }
        number, planned = number_of(path, block), scenario.design.blocks
        if not (number > planned >= block["block"] and (folder / MANIFEST).exists()):
            expected["block"] = number
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
        plan.check_block(f"{path}: block.json", block)
    return plan


class Measured:
    """The trials of blocks that were read so far: each is measured once, under whatever names its
    block is given again."""

    def __init__(self) -> None:
        self._seen: dict[object, str] = {}

    def add(self, archive: BlockArchive) -> None:
        """Raises UserError naming a trial that another block has, too."""
        virtual = any(s["guests"]["virtual_clock"] for s in archive.block["sessions"])
        prints = []
        for trial in archive.trials:
            logs = frozenset(hashlib.sha256(content).digest() for _, content in archive.logs(trial))
            where = f"{archive.path}: {trial.folder}"
            prints.append((trial.record["cell"].values(), logs))
            # Every trial in virtual time begins at the same moment, and tools may print the same.
            if not virtual:
                self._enter(where, ("start", trial.record["start_ns"]))
                if logs:
                    self._enter(where, ("logs", logs))
        if virtual and any(logs for _, logs in prints):
            all_logs = tuple((*levels, logs) for levels, logs in prints)
            self._enter(str(archive.path), ("block", all_logs))

    def _enter(self, where: str, what: object) -> None:
        if what in self._seen:
            raise UserError(
                f"{where}: measured at the same time, or with the same logs, as "
                f"{self._seen[what]}; each trial makes its rows once: leave one of them out"
            )
        self._seen[what] = where


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
