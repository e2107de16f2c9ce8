"""The folder in which a block grows, one finished trial at a time, and the archive into which it is
packed.

block-03.staging/block.json
block-03.staging/trials/0001/trial.json, logs     finished
block-03.staging/trials/0002.part/                being measured, or left by a kill
block-03.staging/trials/0002.attempt-1/           left by a kill, after the trial was repeated; or
                                                  finished, at another pace than the block

Snakemake deletes the archive of a job that is cancelled or lost, even if all of it was measured. A
block that Snakemake measures therefore keeps its folder until Snakemake ends.

An archive is a zip. Up to format 3 each file of a trial is a member of its own. Since format 4 all
of them are in one member, a tar file that is compressed as a whole, because files of trials repeat
each other. Both are read.
"""

import io
import json
import lzma
import shutil
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import atomic_path, atomic_write, file_hash
from remeasure.bench.campaign.record import TrialRecord

BLOCK, TRIALS = "block.json", "trials.tar.xz"
"""the members of an archive of format 4"""
_PACKING = [{"id": lzma.FILTER_LZMA2, "preset": 6, "nice_len": 273, "depth": 32}]
"""longer matches than the preset's: a tenth less of our blocks, in half as much time again"""
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can hold
_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
)
"""errors of zipfile, tarfile and lzma for an archive that is damaged, or not of its kind"""


def pack(folder: Path, archive: Path) -> None:
    """Write every file of `folder` into `archive`. The same files always give the same bytes."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    names = {path.relative_to(folder).as_posix(): path for path in files}
    with atomic_path(archive) as part, zipfile.ZipFile(part, "w") as file:
        _store(file, BLOCK, names.pop(BLOCK).read_bytes(), zipfile.ZIP_DEFLATED)
        _store(file, TRIALS, _packed(names), zipfile.ZIP_STORED)


def _store(file: zipfile.ZipFile, name: str, content: bytes, method: int) -> None:
    info = zipfile.ZipInfo(name, _ZIP_TIME)
    info.compress_type = method
    info.external_attr = 0o644 << 16
    file.writestr(info, content, compresslevel=9)


def _packed(files: Mapping[str, Path]) -> bytes:
    """A tar file of `files`, name -> where it is, compressed as a whole."""
    packed = io.BytesIO()
    with (
        lzma.open(packed, "wb", check=lzma.CHECK_SHA256, filters=_PACKING) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name, path in files.items():
            content = path.read_bytes()
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return packed.getvalue()


class Members(Mapping[str, bytes]):
    """Files of an archive: name -> content, unpacked on demand. Raises UserError naming the archive
    if it cannot be read, and a damaged file when it is read."""

    def __init__(self, path: Path):
        self._path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except FileNotFoundError:
            here = "" if path.is_absolute() else f" in {Path.cwd()}, where env/run begins"
            raise UserError(f"{path}: no such block{here}") from None
        except _DAMAGE as error:
            said = f"not a block archive ({error}); restore it (a pointer of Git LFS: git lfs pull)"
            raise UserError(f"{path}: {said}") from None
        names = (name for name in self._zip.namelist() if not name.endswith("/"))
        self._alone = dict.fromkeys(name for name in names if name != TRIALS)
        if BLOCK not in self._alone:
            raise UserError(f"{path}: not a block archive (no {BLOCK} in it); restore it")

    def __iter__(self) -> Iterator[str]:
        yield from self._alone
        yield from self._together

    def __len__(self) -> int:
        return len(self._alone) + len(self._together)

    def __contains__(self, name: object) -> bool:
        return name in self._alone or name in self._together

    def __getitem__(self, name: str) -> bytes:
        """The content of one file. Raises UserError if it is missing or damaged."""
        if name in self._alone:
            return self._unpacked(name)
        if name in self._together:
            return self._together[name]
        raise UserError(f"{self._path}: {name}: not in the archive")

    def _unpacked(self, name: str) -> bytes:
        try:
            return self._zip.read(name)
        except _DAMAGE as error:
            raise UserError(f"{self._path}: {name}: damaged ({error}); restore it") from None

    @cached_property
    def _together(self) -> dict[str, bytes]:
        """The files that are compressed together: name -> content."""
        if TRIALS not in self._zip.namelist():
            return {}
        try:
            content = lzma.decompress(self._unpacked(TRIALS))
            with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as tar:
                places = {one.name: (one.offset_data, one.size) for one in tar if one.isreg()}
        except _DAMAGE as error:
            raise UserError(f"{self._path}: {TRIALS}: damaged ({error}); restore it") from None
        return {name: content[at : at + size] for name, (at, size) in places.items()}


class Staging:
    """The staging folder of a block, next to its final archive. One process uses it at a time;
    another one gets a UserError."""

    def __init__(self, archive: Path):
        self.archive = archive
        self.folder = archive.with_suffix(".staging")
        self.trials = self.folder / "trials"

    def __enter__(self) -> "Staging":
        self.trials.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(self.archive.with_suffix(".lock"))
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise UserError(f"{self.folder}: another process is measuring this block") from None
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        Path(self._lock.lock_file).unlink(missing_ok=True)

    @property
    def finished(self) -> set[int]:
        """Order numbers of the trials that are finished."""
        records = self.trials.glob("[0-9][0-9][0-9][0-9]/trial.json")
        return {int(path.parent.name) for path in records}

    @property
    def attempts(self) -> dict[int, list[TrialRecord]]:
        """Order number -> records of the finished attempts at a trial, the first one first."""
        found: dict[int, list[TrialRecord]] = {}
        records = (json.loads(path.read_text()) for path in self.trials.glob("*/trial.json"))
        for record in sorted(records, key=lambda one: one["attempt"]):
            found.setdefault(record["order"], []).append(record)
        return found

    def put_aside(self, order: int, reason: str) -> None:
        """Turn a finished trial into an attempt that does not count, with the reason."""
        folder = self.trials / f"{order:04d}"
        record = json.loads((folder / "trial.json").read_text())
        write_json(folder / "trial.json", {**record, "measured_again": reason})
        folder.rename(self.trials / f"{order:04d}.attempt-{record['attempt']}")

    def begin(self, order: int, repeats: bool = False) -> tuple[Path, int]:
        """Make an empty folder for a trial. Returns it, and the number of the attempt (from 1).
        Remains of an interrupted attempt are kept, unless a trial `repeats`: the next attempt then
        has the same, and more."""
        part = self._part(order)
        if repeats and part.exists():
            shutil.rmtree(part)
        attempt = 1 + len(list(self.trials.glob(f"{order:04d}.attempt-*")))
        if part.exists():
            part.rename(self.trials / f"{order:04d}.attempt-{attempt}")
            attempt += 1
        part.mkdir()
        return part, attempt

    def finish(self, order: int, record: TrialRecord) -> None:
        """Complete a trial: write its record with the hashes of its files, and give the folder its
        final name."""
        part = self._part(order)
        members = {path.name: file_hash(path) for path in sorted(part.iterdir())}
        write_json(part / "trial.json", {**record, "members": members})
        part.rename(self.trials / f"{order:04d}")

    def read_block(self) -> dict[str, Any] | None:
        path = self.folder / "block.json"
        return json.loads(path.read_text()) if path.exists() else None

    def write_block(self, record: dict[str, Any]) -> None:
        write_json(self.folder / "block.json", record)

    def pack(self, keep: bool = False) -> None:
        """Write the archive, then remove the folder unless told to `keep` it."""
        pack(self.folder, self.archive)
        if not keep:
            shutil.rmtree(self.folder)

    def _part(self, order: int) -> Path:
        return self.trials / f"{order:04d}.part"


def remove_packed(archives: Iterable[str]) -> None:
    """Remove the folders of blocks whose archives are there. No process may measure them."""
    for archive in map(Path, archives):
        if archive.exists():
            shutil.rmtree(archive.with_suffix(".staging"), ignore_errors=True)


def write_json(path: Path, document: Mapping[str, object]) -> None:
    atomic_write(path, json.dumps(document, indent=1) + "\n")
