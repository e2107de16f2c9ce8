"""The files in a block archive, by name. An archive is a zip. Up to format 3 each file of a trial
is a member of its own. Since format 4 all of them are in one member, a tar file that is compressed
as a whole, because files of trials repeat each other. Both are read."""

import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import atomic_path, require_regular

BLOCK, TRIALS = "block.json", "trials.tar.xz"
"""the members of an archive of format 4"""
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
        lzma.open(packed, "wb", check=lzma.CHECK_SHA256) as compressed,
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
            self._zip = zipfile.ZipFile(require_regular(path))
        except FileNotFoundError:
            raise UserError(f"{path}: no such block") from None
        except _DAMAGE as error:
            raise UserError(f"{path}: not a block archive ({error})") from None
        names = (name for name in self._zip.namelist() if not name.endswith("/"))
        self._alone = dict.fromkeys(names)
        if BLOCK not in self._alone:
            raise UserError(f"{path}: not a block archive (no {BLOCK} in it)")
        self._is_solid = TRIALS in self._alone
        self._alone.pop(TRIALS, None)

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
        """The content of a member of the zip."""
        try:
            return self._zip.read(name)
        except _DAMAGE as error:
            raise UserError(f"{self._path}: {name}: damaged ({error}); restore it") from None

    @cached_property
    def _together(self) -> dict[str, bytes]:
        """The files that are compressed together: name -> content."""
        if not self._is_solid:
            return {}
        try:
            content = lzma.decompress(self._unpacked(TRIALS))
            with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as tar:
                places = {one.name: (one.offset_data, one.size) for one in tar if one.isreg()}
        except _DAMAGE as error:
            raise UserError(f"{self._path}: {TRIALS}: damaged ({error}); restore it") from None
        return {name: content[at : at + size] for name, (at, size) in places.items()}
