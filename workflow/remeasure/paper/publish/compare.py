"""Two campaigns side by side, as a page."""

from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.folder import campaign_folder, read_frozen
from remeasure.paper.publish.execution.run import run_notebook
from remeasure.paper.publish.page.render import write_page
from remeasure.paper.tidy.tables import write_tables

NOTEBOOK = ROOT / "notebooks/compare/compare.ipynb"


def compare_campaigns(first: str, second: str) -> Path:
    """Make results/compare/<first>-<second>/ with tables of both campaigns and the page, and return
    the page. Raises UserError if they have no scenario in common."""
    if first == second:
        raise UserError(f"found {first} twice, expected two campaigns; name another one")
    blocks = {campaign: _blocks(campaign) for campaign in (first, second)}
    shared = [scenario for scenario in blocks[first] if scenario in blocks[second]]
    if not shared:
        raise UserError(
            f"{first} and {second} have no scenario in common: {', '.join(blocks[first])}; "
            f"{', '.join(blocks[second])}"
        )
    folder = Path("results/compare") / f"{first}-{second}"
    for campaign, of in blocks.items():
        for scenario in shared:
            write_tables(of[scenario], folder / "tidy" / campaign / scenario)
    parameters = {"campaigns": [first, second], "scenarios": shared, "tidy": str(folder / "tidy")}
    notebook, page = folder / "compare.ipynb", folder / "compare.html"
    handed = folder / "handed/compare"
    run_notebook(NOTEBOOK, parameters, notebook, handed)
    write_page(notebook, handed, page)
    return page


def _blocks(campaign: str) -> dict[str, list[Path]]:
    if read_frozen(campaign) is None:
        raise UserError(f"{campaign_folder(campaign)}: no such campaign")
    found: dict[str, list[Path]] = {}
    for block in sorted(campaign_folder(campaign).glob("*/block-*.zip")):
        found.setdefault(Name(block.parent.name).scenario, []).append(block)
    return found
