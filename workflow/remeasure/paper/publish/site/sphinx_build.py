"""Building the site: its sources are put together, and Sphinx makes the pages."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from sphinx.cmd.build import build_main

from remeasure.bench.base.errors import UserError
from remeasure.paper.analysis.verdicts.ledger import read_ledger
from remeasure.paper.publication import load_publication
from remeasure.paper.publish.site.sources import write_sources


def build_site(out: Path, handed: Iterable[Path]) -> None:
    """Make the site in `out` from what notebooks `handed` over (folders results/handed/<notebook>),
    their executed forms in results/notebooks, and results/paper.pdf. Raises UserError; then `out`
    is not made."""
    folders = {folder.name: folder for folder in handed}
    results = out.parent
    notebooks = {name: results / "notebooks" / f"{name}.ipynb" for name in folders}
    work = out.with_name(f".{out.name}.part")
    shutil.rmtree(work, ignore_errors=True)
    try:
        write_sources(
            work / "sources",
            notebooks,
            folders,
            read_ledger(folders.values()),
            load_publication(),
            results / "paper.pdf",
        )
        # -W: a link that leads nowhere is an error. -E: nothing is kept from another build.
        options = ["-q", "-j", "2", "-E", "-W", "--keep-going"]
        options += ["-b", "html", "-d", str(work / "doctrees")]
        if build_main([*options, str(work / "sources"), str(work / "html")]):
            raise UserError("site: Sphinx found what is printed above; mend the page that it names")
        shutil.rmtree(out, ignore_errors=True)
        (work / "html").rename(out)
    finally:
        shutil.rmtree(work, ignore_errors=True)
