"""Commands of this machine that make a lab's network."""

import os
import subprocess

from remeasure.errors import UserError


def run_ip(*lines: str) -> None:
    """Commands of `ip`, in order. Raises UserError with what it said."""
    run_tool(["ip", "-batch", "-"], "\n".join(lines))


def run_tool(argv: list[str], said: str = "") -> None:
    """Run a command with `said` as its input. Raises UserError with what it said of a failure."""
    # A user's PATH may lack the places of ip and ethtool.
    places = os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
    try:
        done = subprocess.run(argv, input=said, text=True, capture_output=True, env=places)
    except FileNotFoundError:
        raise UserError(f"lab: {argv[0]} is not installed") from None
    if done.returncode:
        why = " / ".join(done.stderr.split("\n")).strip(" /")
        raise UserError(f"lab: {' '.join(argv)}: {why or f'exit {done.returncode}'}")
