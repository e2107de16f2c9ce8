"""A release: one zip with raw data, tables, notebooks, site, paper and metadata. The same files
give the same bytes, wherever and whenever it is made: names are sorted, and every file has the day
of the version as its time."""

import hashlib
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import atomic_path
from remeasure.bench.base.paths import RAW, ROOT
from remeasure.bench.campaign.release import released_files
from remeasure.paper.notebook.preview import require_no_preview
from remeasure.paper.publication import Publication, as_json, load_publication
from remeasure.paper.publish.dataset.tidy_tables import PACKAGE, TIDY, datapackage
from remeasure.paper.tidy.parquet import read_parquet

SUMS = "SHA256SUMS"
_STORED = {".zip", ".parquet", ".gz", ".pdf", ".png"}
"""kinds of files that are compressed already"""


def bundle_release(out: Path, campaigns: list[str], draft: bool) -> None:
    """Write the release `out`, a zip, from results two folders above it. `campaigns`: the released
    ones; `draft`: the metadata may lack fields that only a maintainer knows. Raises UserError if a
    campaign was not released, or a file is missing; then `out` is not written."""
    results = ROOT / out.parents[1]
    require_no_preview((results / "handed").glob("*"))
    publication = load_publication()
    if not draft:
        publication.require_filled()
    name = out.name.removesuffix(".zip")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work, atomic_path(out) as part:
        files = _files(campaigns, results) | _tables_as_csv(Path(work), publication)
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            sums = []
            for path, file in sorted(files.items()):
                content = file.read_bytes()
                sums.append(f"{hashlib.sha256(content).hexdigest()}  {path}\n")
                _add(archive, publication, f"{name}/{path}", content)
            _add(archive, publication, f"{name}/{SUMS}", "".join(sums).encode())


def _files(campaigns: list[str], results: Path) -> dict[str, Path]:
    """Path in the release -> file, from the repository and from the build."""
    files = {
        "README.md": ROOT / "data/README.md",
        "CHANGELOG.md": ROOT / "data/CHANGELOG.md",
        "CITATION.cff": ROOT / "CITATION.cff",
        "LICENSE": ROOT / "LICENSE",
        "LICENSE-DATA": ROOT / "LICENSE-DATA",
        "paper.pdf": results / "paper.pdf",
    }
    for campaign in campaigns:
        names = released_files(campaign)
        if names is None:
            raise UserError(f"{RAW / campaign}: not released; run: remeasure release {campaign}")
        folder = RAW / campaign
        files |= {f"data/raw/{campaign}/{n}": folder / n for n in [*names, "manifest.json"]}
    for part in ("published", "captured", "tidy"):
        files |= dict(_below(f"data/{part}", ROOT / "data" / part))
    for part in ("notebooks", "site"):
        files |= dict(_below(part, results / part))
    for path, file in files.items():
        if not file.exists():
            raise UserError(f"{file}: missing, but part of the release ({path}); run snakemake")
    return files


def _below(path: str, folder: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            yield f"{path}/{file.relative_to(folder).as_posix()}", file


def _tables_as_csv(work: Path, publication: Publication) -> dict[str, Path]:
    """Every table of data/tidy as CSV below `work`, and the Data Package with their types and
    units: path in the release -> file."""
    tables = [
        (path.relative_to(TIDY).with_suffix(".csv"), path)
        for path in sorted(TIDY.rglob("*.parquet"))
    ]
    for own, path in tables:
        (work / own).parent.mkdir(parents=True, exist_ok=True)
        read_parquet(path).to_pandas().to_csv(work / own, index=False, lineterminator="\n")
    (work / PACKAGE).write_text(as_json(datapackage(publication, work, tables)))
    names = [*(own.as_posix() for own, _ in tables), PACKAGE]
    return {f"data/csv/{name}": work / name for name in names}


def _add(archive: zipfile.ZipFile, publication: Publication, name: str, content: bytes) -> None:
    day = publication.date
    entry = zipfile.ZipInfo(name, (day.year, day.month, day.day, 0, 0, 0))
    entry.create_system = 3  # Unix, whatever system makes it
    entry.external_attr = 0o644 << 16
    stored = Path(name).suffix in _STORED
    entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)
