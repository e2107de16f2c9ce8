"""Programs that hosts need: the command that prints each one's version, and the oldest usable one;
and shell lines that wait for something on a host, for a limited time."""

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

ADMIN_FOLDERS = "/usr/sbin:/sbin"


def environment() -> dict[str, str]:
    """The environment of this process, with these folders added at the end of PATH."""
    return os.environ | {"PATH": f"{os.environ.get('PATH', os.defpath)}:{ADMIN_FOLDERS}"}


_MARK = "=== version of "
"""precedes the name of a tool"""


class Runs(Protocol):
    """A host, or this machine."""

    def run(self, command: str | list[str], *, check: bool = True) -> str:
        """Run a command and return its standard output. Raises CommandFailed on a non-zero exit
        (with `check`)."""


@dataclass(frozen=True)
class Tool:
    """A program on a host."""

    command: list[str]
    """command that prints the version; its first word is the program"""
    package: str
    """its Debian package"""
    oldest: str | None = None
    """the oldest version accepted, such as "3.9"; None for any"""

    def complaint(self, said: str) -> str:
        """The reason against the version in `said`, the tool's output; empty without one."""
        if self.oldest is None or _numbers(said) >= _numbers(self.oldest):
            return ""
        return f"{said}: older than {self.oldest}, or no version; install {self.oldest} or later"


PERL = {"perl": Tool(["perl", "-e", "print $^V"], "perl")}
"""runs scripts of probes on hosts: every Debian system has it"""


def _numbers(text: str) -> tuple[int, ...]:
    """The parts of the first version number in a text; empty if there is none."""
    found = re.search(r"[0-9]+(\.[0-9]+)+", text)
    return tuple(map(int, found[0].split("."))) if found else ()


def tool_versions(host: Runs, tools: Mapping[str, Tool]) -> dict[str, str | None]:
    """Name -> line with the tool's version; None if the tool is not installed. One command asks for
    all of them, as a guest takes longer to begin one than a tool to answer."""
    if not tools:
        return {}
    asked = (
        f"printf '\\n{_MARK}%s\\n' {shlex.quote(name)}; "
        f"command -v {tool.command[0]} >/dev/null && {shlex.join(tool.command)} 2>&1"
        for name, tool in tools.items()
    )
    _, *parts = host.run("\n".join(asked), check=False).split(f"\n{_MARK}")
    said = {name: text.strip() for name, _, text in (part.partition("\n") for part in parts)}
    return {name: _version_in(said.get(name, "")) for name in tools}


def _version_in(text: str) -> str | None:
    """The first line with a version number: a program may complain before it answers, like swanctl
    under AppArmor. The first line, if none has a number; None, if there is none."""
    lines = text.splitlines()
    return next(filter(_numbers, lines), lines[0] if lines else None)


def wait_until(condition: str, otherwise: str, steps: int = 100, pause_s: float = 0.05) -> str:
    """A shell line that ends once the command `condition` succeeds. The command is tried every
    `pause_s` seconds. After `steps` pauses the commands `otherwise` run; they print the reason, and
    end the script (or, with `break`, only the waiting)."""
    return (
        f"n=0; until {condition}; do n=$((n+1)); "
        f"[ $n -le {steps} ] || {{ {otherwise}; }}; sleep {pause_s:g}; done"
    )


def fail(complaint: str) -> str:
    """Commands that end a script with an error; `complaint` is plain words, without quotes."""
    return f"echo '{complaint}' >&2; exit 1"


def fail_showing(file: str) -> str:
    """Commands that end a script with an error, whose text is a program's output in `file`."""
    return f"cat {file} >&2; exit 1"
