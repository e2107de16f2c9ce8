"""Releasing a campaign: its manifest makes it immutable. A manifest proves the files of its
campaign. The list of releases, data/manifests.sha256, proves the manifests, and that a campaign was
released though its manifest is gone. The list has the form of sha256sum(1), so that without this
software `cd data && sha256sum -c manifests.sha256` checks it."""

import re
from pathlib import Path
from typing import Annotated

from pydantic import Field

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import atomic_write, file_hash, read_json
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.attempts import is_judged
from remeasure.bench.campaign.build import if_sparse
from remeasure.bench.campaign.folder import MANIFEST, Frozen, campaign_folder, read_frozen
from remeasure.bench.campaign.rounds import by_kind, complete_rounds, progress
from remeasure.bench.campaign.staging import remove_packed, write_json
from remeasure.bench.campaign.virtual_blocks import require_repeated
from remeasure.bench.lab.testbeds import is_virtual

_LINE = re.compile(rf"([0-9a-f]{{64}})  (raw/[^/\s]+/{re.escape(MANIFEST)})")
_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$"
_PASSING = re.compile(r"\.lock|[^/]+/block-[0-9]+\.lock")
"""locks of measuring processes"""


class File(config.Strict):
    """A file as it was released."""

    bytes: int = Field(ge=0, strict=True)
    """its size"""
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """its hash, in hexadecimal"""

    @classmethod
    def of(cls, path: Path) -> "File":
        """The file as it is now."""
        return cls(bytes=path.stat().st_size, sha256=file_hash(path))


class Manifest(config.Strict):
    """The content of manifest.json."""

    campaign: str
    rounds: str = ""
    """'6 of 8 rounds'; empty if all were measured, or the campaign has none"""
    files: dict[Annotated[str, Field(pattern=_NAME)], File] = Field(min_length=1)
    """path within the campaign's folder -> the file"""


def manifest_path(campaign: str) -> Path:
    return campaign_folder(campaign) / MANIFEST


def write_manifest(campaign: str) -> Path:
    """Write the manifest, every file of the campaign with its size [bytes] and SHA-256, and enter
    it into the list of releases. A release that was killed between the two is completed. Raises
    UserError if the campaign has no file, if a block is unfinished, damaged, not the one of its
    name or, in virtual time, was not measured twice with the same bytes, if too few rounds are
    complete, if the campaign was released before, or if it has a manifest of other files."""
    path = manifest_path(campaign)
    if path.exists() and _entry(path) in _releases(path):
        raise UserError(f"{path}: released already")
    if not path.exists():
        require_not_released(campaign)
    frozen = read_frozen(campaign)
    files = _to_release(campaign, frozen)
    manifest = Manifest(campaign=campaign, rounds=_rounds(frozen) if frozen else "", files=files)
    if path.exists() and _read(path) != manifest:
        raise UserError(
            f"{path}: lists other files than the campaign has; restore them, or remove the "
            "manifest to release the campaign as it is"
        )
    write_json(path, manifest.model_dump(exclude_defaults=True))
    entries = _releases(path) | {_entry(path): file_hash(path)}
    lines = [f"{entries[name]}  {name}\n" for name in sorted(entries)]
    atomic_write(_list_of(path), "".join(lines))
    return path


def _rounds(frozen: Frozen) -> str:
    """'6 of 8 rounds'; empty if all are measured. Raises UserError for a block that was not judged,
    and for fewer complete rounds than the plan asks for, unless the campaign of another kind of
    machine by the same plan has more, and is released (rounds.py)."""
    said, blocks = progress(frozen), campaign_folder(frozen.campaign).glob("*/block-*.zip")
    if frozen.rounds and (left := sorted(path for path in blocks if not is_judged(path))):
        raise UserError(
            f"{left[0]}: the gate has not looked at its record; run remeasure round "
            f"{frozen.campaign}"
        )
    if not said or not frozen.rounds or complete_rounds(frozen) >= frozen.rounds.least:
        return said
    main = by_kind(frozen.campaign)[0].campaign
    if main == frozen.campaign or not manifest_path(main).exists():
        first = "" if main == frozen.campaign else f", or release {main} first, which has more"
        raise UserError(
            f"{frozen.campaign}: {said} measured, expected at least {frozen.rounds.least}; go on: "
            f"remeasure round {frozen.campaign}{first}"
        )
    return said


def _to_release(campaign: str, frozen: Frozen | None) -> dict[str, File]:
    folder = campaign_folder(campaign)
    # Snakemake was killed before it removed them.
    remove_packed(map(str, folder.glob("*/*.zip")))
    unfinished = sorted([*folder.glob("*/*.staging"), *folder.glob("*/*.part")])
    if unfinished:
        raise UserError(f"{unfinished[0]}: this block is not finished; measure it or remove it")
    files = _files(folder)
    if foreign := [name for name in files if not re.fullmatch(_NAME, name)]:
        raise UserError(f"{folder / foreign[0]}: hidden, or oddly named; move it away")
    if not any(name.endswith(".zip") for name in files):
        raise UserError(f"{folder}: no blocks to release")
    for path in (folder / name for name in files if name.endswith(".zip")):
        _require_block(path, campaign)
        if frozen and is_virtual(frozen.testbed):
            require_repeated(path)
    return {name: File.of(folder / name) for name in files}


def _require_block(path: Path, campaign: str) -> None:
    """Raises UserError unless an archive can be read as a whole, and is the block of its place and
    name: a released one is never measured again."""
    named = re.fullmatch(r"block-([0-9]+)(\.(attempt|cut)-[0-9]+)?", path.stem)
    if not named:
        raise UserError(f"{path}: found no name of a block, expected block-01.zip; move it away")
    archive, wanted = BlockArchive(path), {"campaign": campaign, "scenario": path.parent.name}
    for field, expected in (wanted | {"block": int(named[1])}).items():
        if (found := archive.block[field]) != expected:
            said = f"found {found!r}, expected {expected!r}, by its place and name"
            raise UserError(f"{path}: block.json: {field}: {said}; restore the right block")
    if named[3] == "cut":  # it lacks trials
        dict(archive.members)
    else:
        archive.read_rest()


def released_files(campaign: str) -> list[str] | None:
    """Paths of the released files within the campaign's folder; None if it was not released. Raises
    UserError if it was released, but has no manifest any more, or another one."""
    path = manifest_path(campaign)
    if not path.exists():
        require_not_released(campaign)
        return None
    return list(_signed(path).files)


def require_not_released(campaign: str) -> None:
    """Raises UserError if a campaign has a manifest, or ever had one: it must not be measured."""
    path = manifest_path(campaign)
    if path.exists():
        raise UserError(f"{path}: released; a released campaign is never measured again")
    if _entry(path) in _releases(path):
        found = path if path.parent.exists() else path.parent
        raise UserError(
            f"{found}: missing, but {_list_of(path)} has it as released; restore it (a "
            "released campaign is never measured again)"
        )


def verify_campaign(campaign: str) -> int:
    """Compare every file with the manifest, and the manifest with the list of releases. Returns the
    number of files. Raises UserError naming the first file that differs, is missing, or was
    added."""
    folder, path = campaign_folder(campaign), manifest_path(campaign)
    if not path.exists():
        require_not_released(campaign)
    files = _signed(path).files
    for name, expected in files.items():
        file = folder / name
        if not file.exists():
            raise UserError(
                f"{file}: missing, but part of the released campaign {campaign!r}; "
                "restore it (a released campaign is never measured again)"
            )
        found = File.of(file)
        for field in File.model_fields:
            if (now := getattr(found, field)) != (wanted := getattr(expected, field)):
                raise UserError(
                    f"{file}: not as released: {field} {now}, expected {wanted} ({MANIFEST})"
                )
    if added := sorted(set(_files(folder)) - set(files)):
        raise UserError(
            f"{folder / added[0]}: not part of the released campaign {campaign!r}; move it away"
        )
    return len(files)


def released_hash(folder: Path, name: str) -> str | None:
    """SHA-256 of a file of the campaign in `folder`, as released; None if it was not released."""
    path = folder / MANIFEST
    if not path.exists():
        return None
    file = _read(path).files.get(name)
    return file.sha256 if file else None


def _files(folder: Path) -> list[str]:
    """The files of a campaign, without its manifest and temporary files. A link to a folder counts
    as a file; nothing behind it is looked at."""
    found = (
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or not path.is_dir()
    )
    return [name for name in found if name != MANIFEST and not _PASSING.fullmatch(name)]


def _signed(path: Path) -> Manifest:
    """A manifest that the list of releases proves. Raises UserError."""
    manifest, found, releases = _read(path), file_hash(path), _list_of(path)
    expected = _releases(path).get(_entry(path))
    if expected is None:
        raise UserError(
            f"{path}: not in {releases}; if you trust this campaign, add the line: "
            f"{found}  {_entry(path)}"
        )
    if found != expected:
        raise UserError(
            f"{path}: not as released: sha256 {found}, expected {expected} ({releases.name}); "
            "restore it"
        )
    return manifest


def _list_of(manifest: Path) -> Path:
    """The list with the hash of data/raw/<campaign>/manifest.json."""
    return manifest.parents[2] / "manifests.sha256"


def _entry(manifest: Path) -> str:
    return f"raw/{manifest.parent.name}/{manifest.name}"


def _releases(manifest: Path) -> dict[str, str]:
    """The list for this manifest: path of each manifest within data/ -> its hash; empty in a
    project without a release. Raises UserError."""
    path, found = _list_of(manifest), dict[str, str]()
    lines = path.read_bytes().decode(errors="replace").splitlines() if path.exists() else []
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if not match or match[2] in found:
            raise UserError(
                f"{path}:{number}: found {line[:60]!r}, expected once for each release: SHA-256, "
                "two spaces, raw/<campaign>/manifest.json; restore it"
            )
        found[match[2]] = match[1]
    return found


def _read(path: Path) -> Manifest:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise UserError(
            f"{path}: no such file; the campaign was not released{if_sparse()}"
        ) from None
    document = read_json(str(path), content)
    manifest = config.validate(Manifest, document, str(path))
    if manifest.campaign != path.parent.name:
        raise UserError(
            f"{path}: campaign: found {manifest.campaign!r}, expected {path.parent.name!r}"
        )
    return manifest
