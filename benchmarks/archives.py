"""How large blocks are, and what it takes to make tables of them, in the present format and in
format 3.

    env/run python benchmarks/archives.py data/raw/CAMPAIGN            sizes of its blocks
    env/run python benchmarks/archives.py --tidy 10 BLOCK [BLOCK ...]  time and memory of `tidy`

Before format 4 each reading of counters was a file, and each file was compressed alone. The first
command writes each block again in both ways, to compare. The second command makes as many blocks
as it is asked for of the given ones, each some days later than the one before, also by its logs of
ping, since the same trial is read once only. They lie outside a campaign, so nothing is asked of a
plan.
"""

import argparse
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

from remeasure.campaign.archive import FORMAT, BlockArchive, Trial
from remeasure.campaign.members import pack
from remeasure.campaign.readings import counters_file, reading

_EPOCH = (1980, 1, 1, 0, 0, 0)
_DAY_NS = 24 * 3600 * 10**9


def write_apart(source: BlockArchive, path: Path, copy: int = 0) -> None:
    """Write a block in format 3: a file for each reading, each file compressed alone; `copy`: its
    number, if it is one of several made of one."""
    block = _as_copy(source.block | {"format": 3}, copy)
    files = {"block.json": _as_json(block)}
    for trial in source.trials:
        record, counted = _without_hashes(trial), []
        for entry, parts in source.counters(trial):
            file = f"counters-{entry['number']:02d}.{entry['host']}.txt"
            files[f"{trial.folder}/{file}"] = _printed(parts).encode()
            counted.append(entry | {"file": file})
        files |= _others(source, trial, copy)
        record = _as_copy(record | {"counters": counted}, copy)
        files[f"{trial.folder}/trial.json"] = _as_json(record)
    with zipfile.ZipFile(path, "w") as file:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, files[name], compresslevel=9)


def write_together(source: BlockArchive, path: Path, copy: int = 0) -> None:
    """Write a block in the present format; `copy` as above."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        block = _as_copy(source.block | {"format": FORMAT}, copy)
        (folder / "block.json").write_bytes(_as_json(block))
        for trial in source.trials:
            (folder / trial.folder).mkdir(parents=True)
            files = {n.rpartition("/")[2]: c for n, c in _others(source, trial, copy).items()}
            counted = []
            for entry, parts in source.counters(trial):
                now = entry | {"file": counters_file(entry["host"])}
                text = reading(now, _printed(parts)).encode()
                files[now["file"]] = files.get(now["file"], b"") + text
                counted.append(now)
            hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
            record = _without_hashes(trial) | {"counters": counted, "members": hashes}
            record = _as_copy(record, copy)
            for name, content in (files | {"trial.json": _as_json(record)}).items():
                (folder / trial.folder / name).write_bytes(content)
        pack(folder, path)


def _others(source: BlockArchive, trial: Trial, copy: int) -> dict[str, bytes]:
    """Logs and proofs of a trial: name -> content."""
    counters = {entry["file"] for entry in trial.record["counters"]} | {"trial.json"}
    pings = {entry["file"] for entry in trial.record["logs"] if entry["probe"] == "ping"}
    found = {}
    for name in source.members:
        folder, _, file = name.rpartition("/")
        if folder == trial.folder and file not in counters:
            content = source.read(name)
            found[name] = _later(content, copy) if file in pings else content
    return found


def _later(log: bytes, copy: int) -> bytes:
    """A log of ping with its times as many days later."""

    def shifted(match: re.Match) -> str:
        return f"[{int(match[1]) + copy * _DAY_NS // 10**9}."

    return re.sub(r"^\[(\d+)\.", shifted, log.decode(), flags=re.MULTILINE).encode()


def _as_copy(document: Any, copy: int) -> Any:
    """A record with another number of its block, and all its times as many days later."""
    if isinstance(document, list):
        return [_as_copy(one, copy) for one in document]
    if not isinstance(document, dict) or not copy:
        return document
    later = {}
    for field, value in document.items():
        later[field] = _as_copy(value, copy)
        if field in ("start_ns", "end_ns"):
            later[field] = value + copy * _DAY_NS
        elif field == "start":
            moment = datetime.datetime.fromtimestamp(later["start_ns"] / 1e9, datetime.UTC)
            later[field] = moment.isoformat(timespec="seconds")
        elif field == "block":
            later[field] = copy
    return later


def _printed(parts: dict[str, str]) -> str:
    return "".join(f"=== {kind}\n{text}" for kind, text in parts.items())


def _without_hashes(trial: Trial) -> dict:
    return {field: value for field, value in trial.record.items() if field != "members"}


def _as_json(document: dict) -> bytes:
    return (json.dumps(document, indent=1) + "\n").encode()


def sizes(campaign: Path) -> None:
    """Print the size of the first block of each scenario in both formats [bytes]."""
    print("scenario,format_3_bytes,format_4_bytes,ratio")
    for block in sorted(campaign.glob("*/block-01.zip")):
        source = BlockArchive(block)
        with tempfile.TemporaryDirectory() as temporary:
            apart, together = Path(temporary) / "apart.zip", Path(temporary) / "together.zip"
            write_apart(source, apart)
            write_together(source, together)
            before, now = apart.stat().st_size, together.stat().st_size
        print(f"{block.parent.name},{before},{now},{before / now:.1f}", flush=True)


def tidy(blocks: list[Path], times: int) -> None:
    """Print wall-clock time [s] and largest memory [MB] of `remeasure tidy` of as many blocks, in
    both formats."""
    print("format,blocks,seconds,memory_mb")
    for format_, write in ((3, write_apart), (FORMAT, write_together)):
        with tempfile.TemporaryDirectory() as temporary:
            made = [Path(temporary) / f"block-{number:03d}.zip" for number in range(1, times + 1)]
            for number, path in enumerate(made, 1):
                write(BlockArchive(blocks[(number - 1) % len(blocks)]), path, number)
            command = ["remeasure", "tidy", f"{temporary}/tables", *map(str, made)]
            start = time.monotonic()
            process = subprocess.Popen(command)
            _, status, use = os.wait4(process.pid, 0)
            if status:
                sys.exit(f"{command[0]} {command[1]} failed")
            took = time.monotonic() - start
            print(f"{format_},{times},{took:.1f},{use.ru_maxrss / 1000:.0f}", flush=True)


def main() -> None:
    asked = argparse.ArgumentParser(description=re.split(r"\n\n", __doc__ or "")[0])
    asked.add_argument("--tidy", type=int, metavar="N", help="make tables of N blocks")
    asked.add_argument("paths", type=Path, nargs="+")
    options = asked.parse_args()
    if options.tidy:
        tidy(options.paths, options.tidy)
    else:
        for campaign in options.paths:
            sizes(campaign)


if __name__ == "__main__":
    sys.exit(main())
