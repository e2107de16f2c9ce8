"""From each statement that was measured back to the lines of raw logs: a page for each study."""

from collections.abc import Iterable
from pathlib import Path

from remeasure.bench.claims.published import cited_as
from remeasure.paper.analysis.entry import Entry, Ledger
from remeasure.paper.publish.templates import macros
from remeasure.paper.publish.trace import show
from remeasure.paper.publish.trace.find import Walks

_ROWS = 2
"""observations shown of each estimate"""
_PAGES = macros(__file__, "md")


def walk_of(entry: Entry) -> str | None:
    """The address of a statement's walk, from the ledger; None of one without a value of ours."""
    return f"walks/{entry['study']}.html#{entry['id']}" if _was_measured(entry) else None


def _was_measured(entry: Entry) -> bool:
    return any(test["value"] is not None for test in entry["tests"])


def write_walks(folder: Path, ledger: Iterable[Entry], results: Path) -> None:
    """Write <folder>/<study>.md for every study with a measured statement, and a list of them. The
    source of a statement is found in `results` as `remeasure explain` finds it."""
    folder.mkdir()
    walks = Walks(results=results)
    by_study: dict[str, Ledger] = {}
    for entry in filter(_was_measured, ledger):
        by_study.setdefault(entry["study"], []).append(entry)
    for study, entries in by_study.items():
        shown = (show.as_text(walks.explain(entry["id"], _ROWS), _ROWS) for entry in entries)
        text = _PAGES.study(cited_as(study), zip(entries, shown, strict=True))
        (folder / f"{study}.md").write_text(text)
    (folder / "index.md").write_text(_PAGES.index(by_study))
