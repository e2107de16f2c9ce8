"""Results on pages: charts and addresses."""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from remeasure.bench.base.paths import ROOT
from remeasure.paper.notebook.pictures import caption, figure_html
from remeasure.paper.publication import Publication
from remeasure.paper.publish.site.notebook_pages import chart_links, with_charts

_FILE = re.compile(r"(?<!\[)`((?:[\w.-]+/)*[\w.-]+\.(?:md|cff|yaml))`")
"""a file of the repository in the text of a page"""
_FOLDER = "ipsec-remeasured"
_LATER = "comes with the release"


def address_texts(publication: Publication) -> dict[str, str]:
    """Name on a page -> text."""
    repository, site, doi = (publication.known(one) for one in ("repository", "site", "doi"))
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
    repository = publication.known("repository")
    return _FILE.sub(partial(_linked, repository.rstrip("/")), page) if repository else page


def _linked(repository: str, match: re.Match[str]) -> str:
    if not (ROOT / match[1]).exists():
        return match[0]
    return f"[{match[0]}]({repository}/blob/main/{match[1]})"


def chart_texts(handed: Mapping[str, Path], publication: Publication) -> dict[str, str]:
    """Name on a page -> chart with its caption and files (HTML), of each that was handed over:
    'chart_claims_forest'."""
    texts = {}
    for notebook, folder in handed.items():
        links = partial(chart_links, notebook=notebook, publication=publication, up="")
        for picture in sorted((folder / "figures").glob("*.svg")):
            name, says = picture.stem, caption(picture.with_suffix(".json"))
            figure = figure_html(name, name, picture.read_text(), says)
            whole = with_charts(figure, picture.parent, links)
            texts[f"chart_{name.replace('-', '_')}"] = f"{whole}\n"
    return texts
