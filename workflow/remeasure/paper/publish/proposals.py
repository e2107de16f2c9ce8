"""Reports for maintainers of other software: pages of the site, and files in docs/ with the same
text, for readers of the repository."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.paper.publish.paper_macros import read_numbers

NAME = re.compile(r"\{\{ (\w+) \}\}")


def filled(page: str, text: str, texts: Mapping[str, str]) -> str:
    """The text of site/`page` with `texts` in place of the names. Raises UserError."""

    def known(match: re.Match[str]) -> str:
        if match[1] not in texts:
            raise UserError(
                f"site/{page}: {match[0]}: no notebook hands over a number of this name"
            )
        return texts[match[1]]

    return NAME.sub(known, text)


FOLDER = ROOT / "docs/proposals"
PREFIX = "proposal_"
"""how the names of these pages begin, in the folder of the site"""
SCRIPTS = ROOT / "docs/examples"
"""scripts for labs in virtual time, and beside them what they printed"""
_LINK = re.compile(r"\[([^\]]*)\]\((?:notebooks/\w+|data)\)")
"""a link to a page of the site, which a file in docs/ cannot have"""
_WRITTEN = "<!-- written by `env/run remeasure readme`, from site/{page} -->\n\n"


def script_texts() -> dict[str, str]:
    """Name in a page -> what a script printed."""
    return {
        f"script{path.stem.title()}": path.read_text().rstrip()
        for path in sorted(SCRIPTS.glob("*.txt"))
    }


def proposals(sources: Path, handed: Iterable[Path]) -> dict[Path, str]:
    """File -> its text, of each report in the folder of the site (`sources`), with the numbers that
    notebooks handed over. Raises UserError if a number is missing."""
    numbers = {name: one["text"] for name, one in read_numbers(handed).items()} | script_texts()
    return {
        FOLDER / f"{page.stem.removeprefix(PREFIX)}.md": _WRITTEN.format(page=page.name)
        + _LINK.sub(r"\1", filled(page.name, page.read_text(), numbers))
        for page in sorted(sources.glob(f"{PREFIX}*.md"))
    }


def write_proposals(handed: Iterable[Path]) -> None:
    """Write the files. Raises UserError."""
    FOLDER.mkdir(exist_ok=True)
    for path, text in proposals(ROOT / "site", handed).items():
        path.write_text(text)
