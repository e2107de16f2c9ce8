"""The command `remeasure`."""

import sys

import typer

from remeasure.errors import UserError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
                  help=__doc__)


@app.callback()
def _remeasure():
    pass


@app.command()
def lab(topology: str, testbed: str = "lab"):
    """Open a lab and a shell in it: ssh to every host, until the shell ends."""
    from remeasure.lab.shell import open_shell

    open_shell(topology, testbed)


def main() -> None:
    """Run, and show what a person can mend as one line."""
    try:
        app()
    except UserError as error:
        print(f"remeasure: {error}", file=sys.stderr)
        sys.exit(1)
