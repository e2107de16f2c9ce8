"""Releasing a campaign: its manifest makes it immutable."""

import hashlib
import json
from pathlib import Path

from remeasure.atomic import atomic_write
from remeasure.campaign.folder import campaign_folder
from remeasure.errors import UserError

MANIFEST = "manifest.json"


def manifest_path(campaign: str) -> Path:
    return campaign_folder(campaign) / MANIFEST


def write_manifest(campaign: str) -> Path:
    """Write the manifest: every file of the campaign with its size [bytes] and SHA-256.

    Raises UserError if the campaign has no file, if a block is unfinished, or if it was released
    before.
    """
    folder, path = campaign_folder(campaign), manifest_path(campaign)
    if path.exists():
        raise UserError(f"{path}: released already")
    unfinished = sorted(folder.glob("*/*.staging"))
    if unfinished:
        raise UserError(f"{unfinished[0]}: this block is not finished; measure it or remove it")
    files = [p for p in sorted(folder.rglob("*")) if p.suffix in (".zip", ".yaml")]
    if not any(p.suffix == ".zip" for p in files):
        raise UserError(f"{folder}: no blocks to release")
    document = {
        "campaign": campaign,
        "files": {
            p.relative_to(folder).as_posix(): {"bytes": p.stat().st_size, "sha256": file_hash(p)}
            for p in files
        },
    }
    atomic_write(path, json.dumps(document, indent=1) + "\n")
    return path


def released_files(campaign: str) -> list[str] | None:
    """Paths of the released files within the campaign's folder; None if it was not released."""
    path = manifest_path(campaign)
    return list(_read(path)) if path.exists() else None


def verify_campaign(campaign: str) -> int:
    """Compare every file with the manifest. Returns their number. Raises UserError naming the first
    file that differs."""
    files = _read(manifest_path(campaign))
    for name, expected in files.items():
        path = campaign_folder(campaign) / name
        if not path.exists():
            raise UserError(
                f"{path}: missing, but part of the released campaign {campaign!r}; "
                "restore it (a released campaign is never measured again)"
            )
        found = {"bytes": path.stat().st_size, "sha256": file_hash(path)}
        for field in ("bytes", "sha256"):
            if found[field] != expected[field]:
                raise UserError(
                    f"{path}: not as released: {field} {found[field]}, expected "
                    f"{expected[field]} ({MANIFEST})"
                )
    return len(files)


def released_hash(folder: Path, name: str) -> str | None:
    """SHA-256 of a file of the campaign in `folder`, as released; None if it was not released."""
    path = folder / MANIFEST
    return _read(path).get(name, {}).get("sha256") if path.exists() else None


def _read(path: Path) -> dict[str, dict]:
    try:
        return json.loads(path.read_text())["files"]
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; the campaign was not released") from None
    except (json.JSONDecodeError, KeyError) as error:
        raise UserError(f"{path}: not a manifest ({error})") from None


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
