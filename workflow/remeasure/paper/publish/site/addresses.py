"""What pages say of addresses that only a maintainer knows (config/publication.yaml). While one is
blank, pages say so once and plainly, and promise nothing that needs it."""

import re
from functools import partial

from remeasure.bench.base.paths import ROOT
from remeasure.paper.publication import Publication

_FILE = re.compile(r"(?<!\[)`((?:[\w.-]+/)*[\w.-]+\.(?:md|cff|yaml))`")
"""a file of the repository that a page names"""
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
    """The page with files that it names linked to the repository, where its address is known."""
    repository = publication.known("repository")
    return _FILE.sub(partial(_linked, repository.rstrip("/")), page) if repository else page


def _linked(repository: str, match: re.Match[str]) -> str:
    if not (ROOT / match[1]).exists():
        return match[0]
    return f"[{match[0]}]({repository}/blob/main/{match[1]})"
