"""A release: one zip with raw data, tables, notebooks, site, paper and metadata.

The same files give the same bytes, wherever and whenever it is made: names are sorted, and every
file has the day of the version as its time.
"""

import hashlib
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW, ROOT
from remeasure.bench.campaign.release import released_files
from remeasure.paper.publication import Publication, load_publication
from remeasure.paper.publish.dataset.datapackage import PACKAGE, Described, datapackage, describe
from remeasure.paper.publish.metadata_files import as_json
from remeasure.paper.publish.metadata_files import texts as kept_texts
from remeasure.paper.tidy.parquet import read_parquet

RESULTS = ROOT / "results"
SUMS = "SHA256SUMS"
_STORED = {".zip", ".parquet", ".gz", ".pdf", ".png"}
"""kinds of files that are compressed already"""


def bundle_release(out: Path, campaigns: list[str], draft: bool) -> None:
    """Write the release `out` from results of the workflow. `draft`: the metadata may lack fields
    that only a maintainer knows. Raises UserError; then `out` is not written."""
    publication = load_publication()
    if not draft:
        publication.require_filled()
    built = {
        "notebooks": RESULTS / "notebooks",
        "site": RESULTS / "site",
        "paper.pdf": RESULTS / "paper.pdf",
    }
    with tempfile.TemporaryDirectory() as work:
        write_release(out, publication, campaigns, built, Path(work))


def write_release(
    out: Path, publication: Publication, campaigns: list[str], built: Mapping[str, Path], work: Path
) -> None:
    """Write the zip `out`. `campaigns`: the released ones; `built`: path in the release -> file or
    folder that the workflow made; `work`: an empty folder for the tables as CSV.

    Raises UserError if a campaign was not released, or a file is missing; then `out` is not
    written.
    """
    files = _files(campaigns, built)
    files |= {f"data/{path}": file for path, file in _tables_as_csv(work).items()}
    texts = _metadata(publication, files)
    name = out.name.removesuffix(".zip")
    part = out.with_name(f"{out.name}.part")
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            sums = []
            for path in sorted({*files, *texts}):
                content = texts[path] if path in texts else files[path].read_bytes()
                sums.append(f"{hashlib.sha256(content).hexdigest()}  {path}\n")
                _add(archive, publication, f"{name}/{path}", content)
            _add(archive, publication, f"{name}/{SUMS}", "".join(sums).encode())
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)


def _files(campaigns: list[str], built: Mapping[str, Path]) -> dict[str, Path]:
    """Path in the release -> file, from the repository and from the build."""
    files = {
        "README.md": ROOT / "data/README.md",
        "CHANGELOG.md": ROOT / "data/CHANGELOG.md",
        "LICENSE": ROOT / "LICENSE",
        "LICENSE-DATA": ROOT / "LICENSE-DATA",
    }
    for campaign in campaigns:
        names = released_files(campaign)
        if names is None:
            raise UserError(f"{RAW / campaign}: not released; run: remeasure release {campaign}")
        folder = RAW / campaign
        files |= {f"data/raw/{campaign}/{n}": folder / n for n in [*names, "manifest.json"]}
    for part in ("published", "captured", "tidy"):
        files |= dict(_below(f"data/{part}", ROOT / "data" / part))
    for path, source in built.items():
        files |= dict(_below(path, source)) if source.is_dir() else {path: source}
    for path, file in files.items():
        if not file.exists():
            raise UserError(f"{file}: missing, but part of the release ({path}); run snakemake")
    return files


def _below(path: str, folder: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            yield f"{path}/{file.relative_to(folder).as_posix()}", file


def _tables_as_csv(work: Path) -> dict[str, Path]:
    """Every table of data/tidy as CSV below `work`/csv: path below `work` -> file."""
    found = {}
    for path in sorted((ROOT / "data/tidy").rglob("*.parquet")):
        relative = Path("csv", *path.relative_to(ROOT / "data/tidy").parts).with_suffix(".csv")
        file = work / relative
        file.parent.mkdir(parents=True, exist_ok=True)
        read_parquet(path).to_pandas().to_csv(file, index=False, lineterminator="\n")
        found[relative.as_posix()] = file
    return found


def _metadata(publication: Publication, files: Mapping[str, Path]) -> dict[str, bytes]:
    """The files of metadata: path -> content."""
    data = ROOT / "data"
    tables = [describe(data, path) for path in sorted((data / "tidy").rglob("*.parquet"))]
    texts = kept_texts(publication) | {
        f"data/csv/{PACKAGE}": as_json(_package_of_csv(publication, tables, files))
    }
    return {path: text.encode() for path, text in texts.items()}


def _package_of_csv(
    publication: Publication, tables: Iterable[Described], files: Mapping[str, Path]
) -> dict[str, Any]:
    """The Data Package of the tables as CSV, a format without types and units."""
    below = {table: table.path.relative_to("tidy").with_suffix(".csv") for table in tables}
    made = [replace(table, path=path) for table, path in below.items()]
    (folder,) = {
        files[f"data/csv/{table.path}"].parents[len(table.path.parts) - 1] for table in made
    }
    return datapackage(publication, folder, made)


def _add(archive: zipfile.ZipFile, publication: Publication, name: str, content: bytes) -> None:
    day = publication.date
    entry = zipfile.ZipInfo(name, (day.year, day.month, day.day, 0, 0, 0))
    entry.create_system = 3  # Unix, whatever system makes it
    entry.external_attr = 0o644 << 16
    stored = Path(name).suffix in _STORED
    entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)
