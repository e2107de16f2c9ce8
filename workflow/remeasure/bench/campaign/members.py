"""The files in a block archive, by name.

An archive is a zip. Up to format 3 each file of a trial is a member of its own. Since format 4 all
of them are in one member, a tar file that is compressed as a whole: files of trials repeat each
other, and what is compressed alone cannot refer to what is in another file. Both are read.
"""

import io
import lzma
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from remeasure.bench.base.atomic import atomic_path
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.regular import require_regular
from remeasure.bench.campaign.record import FILE

BLOCK, TRIALS = "block.json", "trials.tar.xz"
"""the members of an archive of format 4"""
LARGEST_MEMBER, LARGEST_BLOCK = 2**26, 2**32
"""size beyond which a file of an archive, or all of them together, are not read [bytes]. In
released blocks they are at most 0.6 and 30 MB"""
_LARGEST_TAR = 2**28
"""size beyond which the files of all trials together are not unpacked [bytes]: they are kept in
memory"""
_MEMORY = 2**27
"""memory that unpacking may take beside what it yields [bytes]"""
_TRIAL = r"trials/[0-9]{4}(\.attempt-[0-9]+)?"
_NAME = re.compile(rf"{re.escape(BLOCK)}|{_TRIAL}/{FILE}")
_FOLDER = re.compile(rf"trials/|{_TRIAL}/")
"""name of a folder, which a zip made by other programs may have, too"""
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
"""what zipfile, tarfile and lzma raise for an archive that is damaged, or not of its kind"""


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
    """Files of an archive: name -> content, which is unpacked when it is asked for.

    Raises UserError naming the archive if it cannot be read, or lists what no block has; and naming
    the file, too, when one is read that is damaged.
    """

    def __init__(self, path: Path):
        self._path = path
        try:
            self._zip = zipfile.ZipFile(require_regular(path))
        except FileNotFoundError:
            raise UserError(f"{path}: no such block") from None
        except _DAMAGE as error:
            raise UserError(f"{path}: not a block archive ({error})") from None
        listed = [(member.filename, member.file_size) for member in self._zip.infolist()]
        self._alone = _checked(path, listed, {TRIALS})
        if BLOCK not in self._alone:
            raise UserError(f"{path}: not a block archive (no {BLOCK} in it)")
        self._is_solid = self._alone.pop(TRIALS, None) is not None

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
            return self._unpacked(name, self._alone[name])
        if name in self._together:
            return self._together[name]
        raise UserError(f"{self._path}: {name}: not in the archive")

    def _unpacked(self, name: str, size: int) -> bytes:
        """The content of a member of the zip, which was listed with this size [bytes]."""
        try:
            with self._zip.open(name) as file:
                # No more than was declared is unpacked, whatever is there.
                content = file.read(size)
        except _DAMAGE as error:
            raise UserError(f"{self._path}: {name}: damaged ({error}); restore it") from None
        if len(content) != size:
            raise UserError(f"{self._path}: {name}: damaged (it ends early); restore it")
        return content

    @cached_property
    def _together(self) -> dict[str, bytes]:
        """The files that are compressed together: name -> content."""
        if not self._is_solid:
            return {}
        where = f"{self._path}: {TRIALS}"
        tar = _decompressed(where, self._unpacked(TRIALS, self._zip.getinfo(TRIALS).file_size))
        try:
            with tarfile.open(fileobj=io.BytesIO(tar), mode="r:") as file:
                listed = file.getmembers()
                for one in listed:
                    if not one.isreg():
                        raise UserError(f"{where}: {one.name}: found no file; restore it")
                _checked(self._path, [(m.name, m.size) for m in listed], set(), self._alone)
                places = {one.name: (one.offset_data, one.size) for one in listed}
                return {name: tar[at : at + size] for name, (at, size) in places.items()}
        except _DAMAGE as error:
            raise UserError(f"{where}: damaged ({error}); restore it") from None


def _decompressed(where: str, content: bytes) -> bytes:
    """The whole of a file that xz(1) wrote. Raises UserError."""
    unpack = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
    try:
        whole = unpack.decompress(content, _LARGEST_TAR)
        if not unpack.eof and len(whole) == _LARGEST_TAR:
            raise UserError(f"{where}: expected at most {_LARGEST_TAR} bytes when unpacked")
    except _DAMAGE as error:
        raise UserError(f"{where}: damaged ({error}); restore it") from None
    if not unpack.eof or unpack.unused_data:
        more = "something follows it" if unpack.eof else "it ends early"
        raise UserError(f"{where}: damaged ({more}); restore it")
    return whole


def _checked(
    path: Path, listed: list[tuple[str, int]], further: set[str], known: Mapping[str, int] = {}
) -> dict[str, int]:
    """Files by name with their sizes [bytes], from the archive's own list. `further`: names that
    the list may also have; `known`: files of the archive's other list. Raises UserError for a list
    that no block has, before any file is unpacked."""
    files: dict[str, int] = {}
    spelled = {name.lower(): name for name in known}
    for name, size in listed:
        if _FOLDER.fullmatch(name) and not size:
            continue
        if (other := spelled.get(name.lower())) is not None:
            as_other = "twice" if other == name else f"as {other}, but for case, twice"
            raise UserError(f"{path}: {name}: {as_other} in the archive; restore it")
        if not _NAME.fullmatch(name) and name not in further:
            raise UserError(
                f"{path}: {name[:100]}: not a file of a block; expected {BLOCK} and "
                "trials/NNNN/FILE; restore it"
            )
        if size > LARGEST_MEMBER:
            raise UserError(
                f"{path}: {name}: {size} bytes when unpacked, expected at most {LARGEST_MEMBER}"
            )
        files[name] = size
        spelled[name.lower()] = name
    if (total := sum([*files.values(), *known.values()])) > LARGEST_BLOCK:
        raise UserError(f"{path}: {total} bytes when unpacked, expected at most {LARGEST_BLOCK}")
    return files
