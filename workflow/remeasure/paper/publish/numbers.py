"""What the paper prints of what notebooks handed over: numbers, captions, cautions, campaigns."""

import sys
from collections.abc import Sequence
from pathlib import Path

from remeasure.bench.base.paths import ROOT
from remeasure.paper.notebook.cautions import as_macros
from remeasure.paper.notebook.pdf import pdf_of
from remeasure.paper.publish.fit import printed_in_paper
from remeasure.paper.publish.latex import campaign_rows, captions, macros, read_numbers, time_macros
from remeasure.paper.publish.prose import lint, states
from remeasure.paper.publish.prose.constants import check_constants


def write_numbers(output: Path, handed: Sequence[Path], paper: Path, own: Sequence[str]) -> None:
    """Write the macros of the paper to `output`; next to it the rows of its table of campaigns,
    and its figures as figures/<name>.pdf.

    `handed`: folders that notebooks handed over. `paper`: folder of LaTeX sources. `own`: notebooks
    of other data than the paper's, for which a sentence that does not hold is marked and not
    refused. Raises UserError where paper and notebooks do not fit together, or what the paper
    states does not hold.
    """
    found, sources = read_numbers(handed), sorted(paper.rglob("*.tex"))
    printed = printed_in_paper(handed, found, sources)
    check_constants(paper)
    lint.check_prose(lint.prose_files(paper), found)
    failed = states.check_states(sources, handed, found, own)
    for one in failed:
        print(f"marked in the paper, as it does not hold here: {one}", file=sys.stderr)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.with_name("campaigns.tex").write_text(campaign_rows(handed, printed.numbers))
    figures = output.parent / "figures"
    figures.mkdir(exist_ok=True)
    for figure in printed.figures:
        (figures / f"{figure.stem}.pdf").write_bytes(pdf_of(figure.read_text()))
    text = "".join(source.read_text() for source in sources)
    times = time_macros(ROOT / "benchmarks/times.json", text)
    output.write_text(
        macros(printed.numbers)
        + as_macros()
        + captions(printed.figures)
        + times
        + states.as_macros(failed)
    )
