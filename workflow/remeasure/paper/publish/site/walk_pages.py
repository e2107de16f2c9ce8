"""From each statement that was measured back to the lines of raw logs: a page for each study."""

from collections.abc import Iterable
from pathlib import Path

from remeasure.bench.claims.published import cited_as
from remeasure.paper.analysis.entry import Entry, Ledger
from remeasure.paper.publish.trace import show
from remeasure.paper.publish.trace.find import Walks

_ROWS = 2
"""observations shown of each estimate"""


def walk_of(entry: Entry) -> str | None:
    """The address of a statement's walk, from the ledger; None of one without a value of ours."""
    return f"walks/{entry['study']}.html#{entry['id']}" if _was_measured(entry) else None


def _was_measured(entry: Entry) -> bool:
    return any(test["value"] is not None for test in entry["tests"])


def write_walks(folder: Path, ledger: Iterable[Entry]) -> None:
    """Write <folder>/<study>.md for every study with a measured statement, and a list of them. The
    source of a statement is found as `remeasure explain` finds it."""
    folder.mkdir()
    walks = Walks()
    by_study: dict[str, Ledger] = {}
    for entry in ledger:
        if _was_measured(entry):
            by_study.setdefault(entry["study"], []).append(entry)
    for study, entries in by_study.items():
        sections = "\n".join(_section(entry, walks) for entry in entries)
        title = f"# {cited_as(study)}: from statements to raw logs"
        (folder / f"{study}.md").write_text(f"{title}\n\n{_INTRODUCTION}\n\n{sections}")
    toc = "\n".join(["```{toctree}", *by_study, "```"])
    (folder / "index.md").write_text(f"# From statements to raw logs\n\n{toc}\n")


_INTRODUCTION = (
    "Each estimate, the first observations that it is from, and the line of the log that has each. "
    "`env/run remeasure explain ID --rows 100` shows more, of any statement, number, table or "
    "figure."
)


def _section(entry: Entry, walks: Walks) -> str:
    walk = show.as_text(walks.explain(entry["id"], _ROWS), _ROWS)
    back = f'<p><a href="../ledger.html#{entry["id"]}">in the ledger</a></p>'
    return f"({entry['id']})=\n## {entry['says']}\n\n{back}\n\n`````text\n{walk}\n`````\n"
