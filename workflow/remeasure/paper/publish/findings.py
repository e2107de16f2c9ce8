"""The work of `remeasure readme`: findings in the README, and reports for maintainers of other
software in docs/. Words are pages of the site's folder, numbers come from the notebooks."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import file_hash, read_text
from remeasure.bench.base.paths import ROOT
from remeasure.paper.analysis.texts import NO_NUMBER, in_larger_units
from remeasure.paper.notebook.cautions import CAUTIONS
from remeasure.paper.notebook.handed_number import HandedNumber
from remeasure.paper.notebook.measured_text import LOST, measured
from remeasure.paper.notebook.scenario_notebook import FACTS
from remeasure.paper.publish.codebook import updated as with_sections
from remeasure.paper.publish.paper_macros import read_numbers

FINDINGS = ROOT / "site/findings.md"
"""the words of the README's findings; of README.es.md they are in findings.es.md"""


def updated(text: str, path: Path, handed: Iterable[Path]) -> str:
    """The text of the README, or of its translation, with its findings made again. Raises UserError
    unless findings in its language are a translation of the present ones."""
    page = FINDINGS.with_name(f"findings{''.join(path.suffixes)}")
    mark = f"<!-- translates {file_hash(FINDINGS)[:12]} -->\n"
    words = read_text(page) if page.exists() else ""
    if page != FINDINGS and not words.startswith(mark):
        raise UserError(
            f"{path}: findings: found {'older ones in' if words else 'no file'} site/{page.name}, "
            f"expected a translation of site/findings.md that begins with {mark[:-1]}"
        )

    def findings() -> str:
        return filled(page.name, words.removeprefix(mark), number_texts(read_numbers(handed)))

    return with_sections(text, path, {"findings": findings})


NAME = re.compile(r"\{\{ (\w+) \}\}")


def filled(page: str, text: str, texts: Mapping[str, str], whole: bool = True) -> str:
    """The text of site/`page` with `texts` in place of the names, without what was not measured.
    Raises UserError for an unknown name, if the results are `whole`."""

    def known(match: re.Match[str]) -> str:
        if match[1] not in texts and whole:
            raise UserError(
                f"site/{page}: {match[0]}: no notebook hands over a number of this name"
            )
        return texts.get(match[1], LOST)

    return in_larger_units(measured(NAME.sub(known, text)))


PREFIX = "proposal_"
"""first part of names of pages for maintainers, in the folder of the site"""
IN_DOCS = ("glossary.md", "guide.md", "replay_windows.md")
"""other pages of the site that docs/ has too"""
SCRIPTS = ROOT / "docs/examples"
"""scripts for labs in virtual time, and next to them their output"""
_WRITTEN = "<!-- written by `env/run remeasure readme`, from site/{page} -->\n\n"
VALUE, INTERVAL = "Value", "Interval"
"""behind the LaTeX macro of a number on a page: the number without its interval, or its interval in
words: '2.1 to 6.5'"""


def script_texts() -> dict[str, str]:
    """Name in a page -> output of a script."""
    return {
        f"script{path.stem.title()}": path.read_text().rstrip()
        for path in sorted(SCRIPTS.glob("*.txt"))
    }


def number_texts(numbers: Mapping[str, HandedNumber]) -> dict[str, str]:
    """Name in a page -> text, of all that pages print of the numbers of notebooks."""
    texts = {macro: one["text"] for macro, one in numbers.items() if NO_NUMBER not in one["text"]}
    texts |= dict.fromkeys(numbers.keys() - texts.keys(), LOST)
    halves = {}
    for macro, text in texts.items():
        value, _, interval = text.partition(" [")
        halves[f"{macro}{VALUE}"] = value
        halves[f"{macro}{INTERVAL}"] = interval.rstrip("]").replace(", ", " to ") or LOST
    cautions = {f"caution{name}": text for name, text in CAUTIONS.items()}
    return halves | texts | cautions | script_texts() | {"kernels": _kernels(numbers)}


def _kernels(numbers: Mapping[str, HandedNumber]) -> str:
    """The kernels of all notebooks that hand theirs over: '7.2.7 and 7.2.12'."""
    _, says = FACTS["Kernel"]
    texts = (one["text"] for one in numbers.values() if one["source"] == says)
    found = {kernel for text in texts for kernel in text.split(" and ") if kernel != NO_NUMBER}
    by_number = sorted(found, key=lambda kernel: [int(n) for n in re.findall(r"\d+", kernel)])
    return " and ".join(by_number) or LOST


def plain(page: str, top: str) -> str:
    """A page of the site as Markdown that needs no build: links to notebooks lead to the
    repository, whose folder is `top` from there, and so do links to pages that it has. My tunnel
    needs a build, so its links lead to the command. Other links are words."""
    page = re.sub(r"\{\{ chart_\w+ \}\}", "(The site shows a chart here.)", page)
    page = re.sub(r"```\{code-block\} text\n(?::.*\n)*", "```\n", page)
    fold = r"<details><summary>\1</summary>\n\n\2\n</details>"
    page = re.sub(r"(?ms)^:::\{dropdown\} (.*?)\n(.*?)^:::$", fold, page)
    page = re.sub(r"\]\(notebooks/(\w+)\)", rf"]({top}/notebooks/\1/\1.ipynb)", page)
    page = page.replace("[](reproduce)", f"[measuring]({top}/docs/measuring.md)")
    page = page.replace("](#term-", "](glossary#term-").replace("](proposal_", "](proposals/")
    page = re.sub(r"\((term-[\w-]+)\)=\n", r'<a id="\1"></a>', page)
    of_docs = r"\]\((glossary|guide|proposals/\w+|replay_windows)(?:\.md)?(#[\w-]+)?\)"
    page = re.sub(of_docs, rf"]({top}/docs/\1.md\2)", page)
    page = re.sub(r"\]\(tunnel(\.md(#[\w-]+)?)?\)", f"]({top}/README.md#build)", page)
    return re.sub(r"\[([^\]]+)\]\((?!\.\./|https?:|#)[^)]*\)", r"\1", page)


def pages_in_docs(handed: Iterable[Path]) -> dict[Path, str]:
    """File in docs/ -> its text, of IN_DOCS and of each report for maintainers in the folder of the
    site, with the numbers that notebooks handed over. Raises UserError if a number is
    missing."""
    texts, sources, docs = number_texts(read_numbers(handed)), ROOT / "site", ROOT / "docs"
    files = {page: page.stem.removeprefix(PREFIX) for page in sources.glob(f"{PREFIX}*.md")}
    paths = {page: docs / f"proposals/{name}.md" for page, name in sorted(files.items())}
    paths |= {sources / name: docs / name for name in IN_DOCS}
    return {
        path: _WRITTEN.format(page=page.name)
        + filled(
            page.name,
            plain(page.read_text(), "/".join([".."] * (len(path.relative_to(ROOT).parts) - 1))),
            texts,
        )
        for page, path in paths.items()
    }
