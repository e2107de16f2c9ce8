"""The commands of `remeasure` that the workflow's rules call: each makes the output of one rule."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()
_PANEL = "Called by the workflow"


@app.command(rich_help_panel=_PANEL)
def tidy(
    folder: Path,
    blocks: list[Path],
    mark: Annotated[str, typer.Option(help="of everything that is made from the tables")] = "",
) -> None:
    """Write the tables of one scenario into FOLDER from its BLOCKS."""
    from remeasure.paper.tidy.tables import write_tables

    write_tables(blocks, folder, mark)


@app.command(rich_help_panel=_PANEL)
def notebook(
    source: Path,
    output: Path,
    handed: Path,
    parameters: Annotated[str, typer.Option(help="as JSON")] = "{}",
) -> None:
    """Execute notebook SOURCE into OUTPUT, with results for the paper in HANDED."""
    import json

    from remeasure.paper.publish.execution.run import run_notebook

    run_notebook(source, json.loads(parameters), output, handed)


@app.command(rich_help_panel=_PANEL)
def page(notebook: Path, handed: Path, output: Path) -> None:
    """Write an executed NOTEBOOK, with the answer from HANDED, as one HTML file to OUTPUT."""
    from remeasure.paper.publish.page.render import write_page

    write_page(notebook, handed, output)


@app.command(rich_help_panel=_PANEL)
def numbers(
    output: Path,
    handed: list[Path],
    paper: Annotated[Path, typer.Option(help="folder of LaTeX sources")] = Path("paper"),
    own: Annotated[
        str,
        typer.Option(
            help="NAME,... of notebooks of other data than the paper's: a sentence that does not "
            "hold for them is marked, not refused"
        ),
    ] = "",
) -> None:
    """Write results in HANDED as LaTeX macros, with captions of figures and cautions next to
    rankings, if paper and notebooks fit together and the paper's statements are true."""
    from remeasure.paper.publish.paper_macros import write_numbers

    write_numbers(output, handed, paper, own.split(","))


@app.command(rich_help_panel=_PANEL)
def dataset(results: Path, handed: list[Path]) -> None:
    """Write RESULTS/dataset: estimates and claims as tables, from results in HANDED."""
    from remeasure.paper.publish.dataset.tidy_tables import write_dataset

    write_dataset(results / "dataset", results / "tidy", handed)


@app.command(rich_help_panel=_PANEL)
def build_site(out: Path, handed: list[Path]) -> None:
    """Make the site in OUT from results in HANDED."""
    from remeasure.paper.publish.site.sphinx_build import build_site as build

    build(out, handed)


@app.command(rich_help_panel=_PANEL)
def pack_release(
    out: Path,
    campaigns: list[str],
    draft: Annotated[bool, typer.Option("--draft", help="allow blanks in CITATION.cff")] = False,
) -> None:
    """Write a release: one zip of raw data, tables, notebooks, site, paper and metadata."""
    from remeasure.paper.publish.dataset.bundle import bundle_release

    bundle_release(out, campaigns, draft)
