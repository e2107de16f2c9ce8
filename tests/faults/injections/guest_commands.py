"""Commands on guests while a probe measures."""

from injections import injection


@injection
def shell(moment, commands: dict[str, str]) -> None:
    """Role -> lines for its shell, host after host."""
    for role, lines in commands.items():
        moment.remotes[role].run(lines, timeout=60)
