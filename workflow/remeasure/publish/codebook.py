"""The table of metrics in the codebook, data/README.md, from what the probes declare."""

from collections.abc import Iterator
from pathlib import Path

from remeasure.errors import UserError
from remeasure.probes import PROBES

BEGIN = "<!-- metrics: written by `remeasure codebook` -->"
END = "<!-- end of metrics -->"


def write_metrics(codebook: Path) -> None:
    """Put the table of metrics between its two marks in the file. Raises UserError."""
    codebook.write_text(with_metrics(codebook.read_text(), str(codebook)))


def with_metrics(text: str, source: str) -> str:
    """`text` with the table of metrics as the probes declare it; `source` names the file.

    Raises UserError if the marks are not there.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UserError(f"{source}: no lines {BEGIN!r} and {END!r}, between which the table goes")
    return f"{before}{BEGIN}\n\n{metric_table()}\n\n{END}{after}"


def metric_table() -> str:
    """One row a metric, in Markdown; the tool is named in its first row."""
    rows = ["| tool | metric | unit | counted by | meaning |", "|---|---|---|---|---|", *_rows()]
    return "\n".join(rows)


def _rows() -> Iterator[str]:
    for tool, probe in sorted(PROBES.items()):
        for name, metric in probe.metrics.items():
            shown = f"`{name}`" if "{" in name else name
            yield f"| {tool} | {shown} | {metric.unit} | {metric.side} | {metric.meaning} |"
            tool = ""
