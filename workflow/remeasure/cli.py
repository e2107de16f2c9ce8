"""The command `remeasure`."""

import sys
from typing import Annotated

import typer

from remeasure.errors import UserError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
                  help="Measure IPsec scenarios on a testbed, and look after what was measured.")


@app.command()
def lab(topology: str, testbed: str = "lab"):
    """Open a lab and a shell in it, with ssh to every host, until the shell ends."""
    from remeasure.lab.shell import open_shell

    open_shell(topology, testbed)


@app.command()
def check(testbed: str,
          topology: Annotated[str, typer.Option(help="of the lab to start")] = "site-to-site"):
    """Say for every host of TESTBED what is present, missing or wrong."""
    from remeasure.testbed.report import report

    sys.exit(report(testbed, topology))


@app.command()
def measure(campaign: str, scenario: str, block: int,
            profile: Annotated[str | None, typer.Option(help="smoke, quick or paper")] = None,
            testbed: str = "lab", seed: int = 1):
    """Measure one block of SCENARIO into data/raw/CAMPAIGN, or what is missing of it."""
    from remeasure.campaign.measure import BlockOrder, measure_block

    print(measure_block(BlockOrder(campaign, scenario, block, profile, testbed, seed)))


def main() -> None:
    """Run, and show what a person can mend as one line."""
    try:
        app()
    except UserError as error:
        print(f"remeasure: {error}", file=sys.stderr)
        sys.exit(1)
