"""Blocks made of some trials of a real one."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

from remeasure.campaign.archive import FORMAT, BlockArchive


def smaller(
    source: BlockArchive, path: Path, keep: Callable[[dict], bool], **fields: object
) -> None:
    """Write a block of the trials of `source` whose record is to be kept, numbered anew, in the
    present format; `fields` are set in each record."""
    trials = [trial for trial in source.trials if keep(dict(trial.record))]
    order = [trial.record["cell"] for trial in trials]
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(
            "block.json", json.dumps(source.block | {"format": FORMAT, "order": order}, indent=1)
        )
        for number, trial in enumerate(trials, 1):
            folder = f"trials/{number:04d}"
            record = {**trial.record, "order": number, **fields}
            file.writestr(f"{folder}/trial.json", json.dumps(record, indent=1))
            for entry in [*trial.record["logs"], *trial.record["counters"]]:
                name = entry["file"]
                file.writestr(f"{folder}/{name}", source.read(f"{trial.folder}/{name}"))
