"""Blocks made of some trials of a real one."""

import hashlib
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from remeasure.bench.campaign.archive import (
    FORMAT,
    BlockArchive,
    StoredTrial,
    counters_file,
    reading,
)
from remeasure.bench.campaign.record import CounterEntry
from remeasure.bench.campaign.staging import pack


def smaller(
    source: BlockArchive, path: Path, keep: Callable[[dict], bool], **fields: object
) -> None:
    """Write a block of the trials of `source` whose record passes `keep`, with new numbers, in the
    present format; `fields` are set in each record."""
    trials = [trial for trial in source.trials if keep(dict(trial.record))]
    order = [trial.record["cell"] for trial in trials]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        block = source.block | {"format": FORMAT, "order": order}
        (folder / "block.json").write_text(json.dumps(block, indent=1))
        for number, trial in enumerate(trials, 1):
            _write(folder / f"trials/{number:04d}", source, trial, {"order": number, **fields})
        pack(folder, path)


def _write(folder: Path, source: BlockArchive, trial: StoredTrial, fields: dict) -> None:
    """Write the folder of a trial in the present format."""
    folder.mkdir(parents=True)
    record = {**trial.record, **fields}
    logs = {entry["file"] for entry in record["logs"]}
    for name in source.members:
        at, _, file = name.rpartition("/")
        if at == trial.folder and (file in logs or file.startswith("proof.")):
            (folder / file).write_bytes(source.read(name))
    kinds: dict[tuple[str, int], dict[str, str]] = {}
    entries: dict[tuple[str, int], CounterEntry] = {}
    for entry, parts in source.counters(trial) if record["counters"] else ():
        of = entry["host"], entry["number"]
        entries.setdefault(of, entry | {"file": counters_file(entry["host"]), "kind": "all"})
        kinds.setdefault(of, {}).update(parts)
    for of, entry in entries.items():
        with (folder / entry["file"]).open("a") as file:
            text = "".join(f"=== {kind}\n{printed}" for kind, printed in kinds[of].items())
            file.write(reading(entry, text))
    record["counters"] = list(entries.values())
    record["members"] = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()
    }
    (folder / "trial.json").write_text(json.dumps(record, indent=1))
