"""Faults of the machine on which a command runs: grounds of machines.py have them."""

from injections import injection


@injection
def machine(ground, lines: list[str]) -> None:
    """Lines of sh that run before the command, in its own namespaces."""
    ground.lines += [line.format(**ground.names) for line in lines]


@injection
def machine_before(ground, lines: list[str]) -> None:
    """The same, before what the ground itself starts."""
    ground.lines[:0] = [line.format(**ground.names) for line in lines]
