"""The raw files of Wagner 2025: public, but without a licence, so each reader downloads them."""

import hashlib
import http.client
import shutil
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.paper.studies.wagner.raw_run import files_of
from remeasure.paper.studies.wagner.recomputed import FILES, kept_quantities

BASE = (
    "https://raw.githubusercontent.com/maxweigner/pcpu-sa-performance/"
    "3e89433844a51230b61e3be8825f958b25080678/Test Results/Raw Data/"
)
LIMIT_S = 10
"""longest time without an answer [s]"""


def fetch_wagner(folder: Path, base: str = BASE) -> list[Path]:
    """Download every file into `folder`, which is there whole or not at all.

    Each file must have the SHA-256 that wagner-recomputed.json gives for it. Raises UserError
    naming the file and what was wrong, or a folder that holds anything else.
    """
    known = kept_quantities()["files"]
    names = [file for run in FILES.values() for file in files_of(run)]
    if folder.exists() and (others := {path.name for path in folder.iterdir()} - set(names)):
        raise UserError(
            f"{folder}: has {min(others)}, which is no raw file of Wagner 2025; "
            "name a folder of its own, or one that is not there"
        )
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        for name in names:
            content = _get(base + name)
            found = hashlib.sha256(content).hexdigest()
            if found != known[name]:
                raise UserError(f"{base}{name}: SHA-256 {found}, expected {known[name]}")
            (part / name).write_bytes(content)
        shutil.rmtree(folder, ignore_errors=True)
        part.replace(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return sorted(folder.iterdir())


def _get(address: str) -> bytes:
    try:
        with urllib.request.urlopen(
            urllib.parse.quote(address, safe=":/"), timeout=LIMIT_S
        ) as answer:
            return bytes(answer.read())
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        raise UserError(
            f"{address}: {getattr(error, 'reason', error)}; without the network, leave "
            "wagner_raw out or name a folder that has the files"
        ) from None
