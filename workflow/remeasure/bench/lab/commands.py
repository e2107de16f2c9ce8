"""Commands that this machine runs to make the network of a lab."""

import subprocess

from remeasure.bench.base.errors import UserError
from remeasure.bench.testbed.tools import environment


def run_ip(*lines: str) -> None:
    """Run `ip` commands, in order. Raises UserError with the error output of one that failed."""
    run_tool(["ip", "-batch", "-"], "\n".join(lines))


def run_tool(argv: list[str], text: str = "") -> None:
    """Run a command with `text` as its standard input.

    Raises UserError with the error output of a command that failed, or if it is not installed.
    """
    try:
        done = subprocess.run(argv, input=text, text=True, capture_output=True, env=environment())
    except FileNotFoundError:
        raise UserError(f"lab: {argv[0]} is not installed") from None
    if done.returncode:
        why = " / ".join(done.stderr.split("\n")).strip(" /")
        raise UserError(f"lab: {' '.join(argv)}: {why or f'exit {done.returncode}'}")
