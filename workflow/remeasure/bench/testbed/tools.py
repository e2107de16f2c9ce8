"""Programs that hosts need: the command that prints each one's version, and the oldest usable one;
and shell lines that wait for something on a host, for a limited time."""

import os
import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

ADMIN_FOLDERS = "/usr/sbin:/sbin"
_IP = re.compile(r"^ip (-[46] |)(?=[^|;&<>$]*$)")
"""the beginning of a plain command of ip(8), with its family"""


def environment() -> dict[str, str]:
    """The environment of this process, with these folders added at the end of PATH."""
    return os.environ | {"PATH": f"{os.environ.get('PATH', os.defpath)}:{ADMIN_FOLDERS}"}


class Tool(NamedTuple):
    """A program on a host."""

    command: list[str]
    """command that prints the version; its first word is the program"""
    package: str
    """its Debian package"""
    oldest: str | None = None
    """the oldest version accepted, such as "3.9"; None for any"""

    def complaint(self, said: str) -> str:
        """The reason against the version in `said`, the tool's output; empty without one."""
        if self.oldest is None or numbers_in(said) >= numbers_in(self.oldest):
            return ""
        return f"{said}: older than {self.oldest}, or no version; install {self.oldest} or later"


PERL = {"perl": Tool(["perl", "-e", "print $^V"], "perl")}
"""runs scripts of probes on hosts: every Debian system has it"""


def program(name: str, **values: object) -> str:
    """The text of programs/<name>, for hosts: without the comment above it, and with each of
    `values` in its place '@key@'."""
    text = re.sub(r"\A(#.*\n)+", "", (Path(__file__).parent / "programs" / name).read_text())
    for key, value in values.items():
        text = text.replace(f"@{key}@", str(value))
    return text


def numbers_in(text: str) -> tuple[int, ...]:
    """The parts of the first version number in a text; empty if there is none."""
    found = re.search(r"[0-9]+(\.[0-9]+)+", text)
    return tuple(map(int, found[0].split("."))) if found else ()


def batched(lines: Iterable[str]) -> list[str]:
    """Shell lines, with neighbouring commands of ip(8) for one family in one process: a guest is
    slow to start programs. The first command that fails ends it. Others than `ip ...` stay."""
    found: list[str] = []
    for family, group in groupby(lines, lambda line: next(iter(_IP.findall(line)), None)):
        if family is None:
            found += group
        else:
            commands = "\n".join(_IP.sub("", line) for line in group)
            found.append(f"ip {family}-batch - <<'.'\n{commands}\n.")
    return found


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
