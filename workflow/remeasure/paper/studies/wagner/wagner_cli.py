"""The command `remeasure wagner`."""

from pathlib import Path

import typer

app = typer.Typer(no_args_is_help=True, help="Get and compute again the raw data of Wagner 2025.")


@app.command()
def fetch(folder: Path) -> None:
    """Get the raw files of Wagner 2025 into FOLDER, and check them."""
    from remeasure.paper.studies.wagner.fetch import fetch_wagner

    for path in fetch_wagner(folder):
        print(path)


@app.command()
def recompute(folder: Path) -> None:
    """Compute the quantities of Wagner 2025 again from its raw files in FOLDER, and keep them in
    data/published."""
    from remeasure.paper.studies.wagner.recomputed import KEPT, as_text
    from remeasure.paper.studies.wagner.recomputed import recompute as recompute_from

    KEPT.write_text(as_text(recompute_from(folder)))
    print(KEPT)
