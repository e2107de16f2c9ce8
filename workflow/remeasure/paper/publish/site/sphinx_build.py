"""Building the site: the folder that Sphinx reads (site/ and pages from results), and Sphinx."""

import json
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import vl_convert
from sphinx.cmd.build import build_main

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import NOTEBOOKS, ROOT
from remeasure.bench.claims.published import cited_as, load_published, studies
from remeasure.paper.analysis.models.window_advice import DELAYS
from remeasure.paper.analysis.texts import unbroken
from remeasure.paper.analysis.verdicts.ledger import read_ledger
from remeasure.paper.notebook.my_tunnel import WORDS
from remeasure.paper.notebook.opening_answer import NOT_MEASURED, names_in, read_answers
from remeasure.paper.notebook.pictures import drawn
from remeasure.paper.notebook.preview import mark_of_results
from remeasure.paper.publication import CODE_LICENCE, Publication, bibtex, load_publication
from remeasure.paper.publish.advisor.page import read_parts, tunnel_texts
from remeasure.paper.publish.findings import NAME, VALUE, filled, number_texts
from remeasure.paper.publish.included import check_all_printed
from remeasure.paper.publish.page.render import DARK
from remeasure.paper.publish.paper_macros import read_numbers
from remeasure.paper.publish.site.data_tables import TABLES, choices, write_tables
from remeasure.paper.publish.site.ledger_page import ledger_texts
from remeasure.paper.publish.site.notebook_pages import (
    chart_texts,
    write_chart_files,
    write_notebooks,
)
from remeasure.paper.publish.site.walk_pages import write_walks

SOURCES = ROOT / "site"
EXTRA = "extra"
"""folder of files that the site includes unchanged"""
_VEGA = "window.vegaEmbed = vegaEmbed;"
"""end of Vega's bundle"""
_FILE = re.compile(r"(?<!\[)`((?:[\w.-]+/)*[\w.-]+\.(?:md|cff|yaml))`")
"""a file of the repository in the text of a page"""
_FOLDER = "ipsec-remeasured"
_LATER = "comes with the release"


def _write_sources(folder: Path, results: Path, handed: Mapping[str, Path]) -> None:
    """Write the folder that Sphinx builds from `results`. `handed`: name of a notebook -> folder of
    its results. Raises UserError."""
    ledger, publication = read_ledger(handed.values()), load_publication()
    mark = mark_of_results(handed.values())
    shutil.copytree(SOURCES, folder)
    _write_made(folder, publication, mark)
    numbers = read_numbers(handed.values())
    answers = read_answers(handed)
    check_all_printed(handed, numbers, names_printed(numbers))
    texts = number_texts(numbers) | chart_texts(handed, publication) | _own_texts(publication)
    texts |= ledger_texts(ledger)
    if handed.keys() >= {*WORDS["notebooks"].values()}:
        texts |= tunnel_texts(read_parts(handed))
    elif mark:
        (folder / "tunnel.md").write_text(f"# My tunnel\n\n{NOT_MEASURED}\n")
    texts["dataScenarios"] = choices(results / "tidy")
    _fill(folder, texts, publication, whole=not mark)
    write_walks(folder / "walks", ledger, results)
    notebooks = {name: results / "notebooks" / f"{name}.ipynb" for name in handed}
    write_notebooks(folder / "notebooks", notebooks, handed, answers, publication)
    write_chart_files(folder / EXTRA, handed)
    write_tables(folder / EXTRA / TABLES, results / "tidy")
    _write_static(folder / "_static")
    shutil.copy(results / "paper.pdf", folder)


def _fill(folder: Path, texts: Mapping[str, str], publication: Publication, whole: bool) -> None:
    """Put `texts` into the pages of a folder, and each number of the ledger with its unit on one
    line. `whole` as in `filled`."""
    for page in folder.glob("*.md"):
        made = filled(page.name, page.read_text(), texts, whole)
        page.write_text(with_links(made, publication))
    page = folder / "ledger.md"
    page.write_text(unbroken(page.read_text()))


def _write_static(folder: Path) -> None:
    dark = f'html[data-theme="dark"] {{\n{DARK.read_text()}}}\n'
    (folder / "dark.css").write_text(dark)
    # A plain script, since browsers load no module from a file. Its names stay its own.
    module = vl_convert.javascript_bundle(_VEGA)
    (folder / "vega.js").write_text(f'(() => {{"use strict";{module}\n}})();\n')


def _write_made(folder: Path, publication: Publication, preview: str) -> None:
    """Write the publication's values for Sphinx's configuration. `preview`: mark of the results."""
    made = {
        "title": publication.title,
        "authors": "; ".join(author.whole for author in publication.authors),
        "version": publication.version,
        "date": publication.date.isoformat(),
        "repository": publication.repository,
        "site": publication.site,
        "preview": preview,
    }
    (folder / "made.json").write_text(json.dumps(made, indent=1, sort_keys=True) + "\n")


def _own_texts(publication: Publication) -> dict[str, str]:
    """Name in a page -> text, of all that is no number of a notebook."""
    return {
        "windowLeast": f"{DELAYS[0]:g}",
        "citation": publication.cite(),
        "bibtex": bibtex(publication),
        "version": publication.version,
        "date": publication.date.isoformat(),
        "testbed": drawn(SOURCES / "testbed.svg"),
        "dataLicence": publication.data_licence,
        "codeLicence": CODE_LICENCE,
        "studies": "\n".join(
            f"- {cited_as(study)}: {load_published(study).reference}" for study in studies()
        ),
        **address_texts(publication),
    }


def address_texts(publication: Publication) -> dict[str, str]:
    """Name on a page -> text."""
    repository, site, doi = (getattr(publication, one) for one in ("repository", "site", "doi"))
    known = {"dataset": doi and f"https://doi.org/{doi}", "repository": repository, "site": site}
    lines = [f"- {name}: <{of}>" for name, of in known.items() if of]
    later = [name for name, of in known.items() if not of]
    if later:
        lines += ["", f"Addresses that come with the release: {', '.join(later)}."]
    return {
        "addresses": "\n".join(lines),
        "clone": f"git clone {repository} {_FOLDER} && cd {_FOLDER}"
        if repository
        else f"# your copy of the repository\ncd {_FOLDER}",
        "whence": "" if repository else f"The address of the repository {_LATER}.",
        "reuse": "You can load, check and repeat everything behind it."
        if repository
        else f"The repository, with everything behind it, {_LATER}.",
    }


def with_links(page: str, publication: Publication) -> str:
    """The page with links to files of the repository, if its address is known."""
    repository = publication.repository
    if not repository:
        return page

    def linked(match: re.Match[str]) -> str:
        exists = (ROOT / match[1]).exists()
        return (
            f"[{match[0]}]({repository.rstrip('/')}/blob/main/{match[1]})" if exists else match[0]
        )

    return _FILE.sub(linked, page)


def names_printed(macros: Iterable[str]) -> set[str]:
    """The `macros` that the paper, pages in the folder of the site, or answers print."""
    pages = "".join(page.read_text() for page in SOURCES.glob("*.md"))
    found = {name.removesuffix(VALUE) for name in NAME.findall(pages)}
    for source in (ROOT / "paper").rglob("*.tex"):
        found |= set(re.findall(r"[A-Za-z]+", source.read_text()))
    for answer in NOTEBOOKS.glob("*/answer.md"):
        prefix = Name.of_notebook(answer.parent.name).prefix
        found |= {prefix + name for name in names_in(answer)}
    return found & set(macros)


def build_site(out: Path, handed: Iterable[Path]) -> None:
    """Make the site in `out` from the `handed` folders (results/handed/<notebook>), executed
    notebooks in results/notebooks, and results/paper.pdf. Raises UserError; then `out` is not
    made."""
    work = out.with_name(f".{out.name}.part")
    shutil.rmtree(work, ignore_errors=True)
    try:
        _write_sources(work / "sources", out.parent, {folder.name: folder for folder in handed})
        # -W: a link that leads nowhere is an error. -E: nothing is kept from another build.
        options = ["-q", "-j", "2", "-E", "-W", "--keep-going"]
        options += ["-b", "html", "-d", str(work / "doctrees")]
        if build_main([*options, str(work / "sources"), str(work / "html")]):
            raise UserError(
                "site: Sphinx found the errors printed above; mend the page that it names"
            )
        shutil.rmtree(out, ignore_errors=True)
        (work / "html").rename(out)
    finally:
        shutil.rmtree(work, ignore_errors=True)
