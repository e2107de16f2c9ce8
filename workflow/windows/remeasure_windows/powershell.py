"""PowerShell over SSH: literals, and a script that is sent on standard input.

The command line is always the same short program. The shell to which the SSH server passes it
(cmd.exe or PowerShell) therefore makes no difference, it is shorter than the 8191 characters that
cmd.exe accepts, and it contains no secret. The program reads two lines of base64: the script, and a
value that the script finds in `$Secret`. See about_Parsing, about_Quoting_Rules and
about_PowerShell_exe in Microsoft's documentation.
"""

import base64
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from remeasure.bench.testbed.remote import CommandFailed, Remote
from remeasure.bench.testbed.watching.clock_offset import offset_of

SECRET = "$Secret"
"""variable of a script with the value sent together with the script"""
_SCRIPTS = Path(__file__).parent / "scripts"


def read(name: str, /, **values: object) -> str:
    """scripts/<name>.ps1 without its comments. In the place '@key@' is the value of `key`."""
    text = re.sub(r"(?m)^#.*\n", "", (_SCRIPTS / f"{name}.ps1").read_text()).removesuffix("\n")
    return re.sub(r"@(\w+)@", lambda place: str(values[place[1]]), text)


def quote(text: str) -> str:
    """A literal of PowerShell, which takes typographic single quotes for quotes too."""
    return "'" + re.sub("(['\u2018\u2019\u201a\u201b])", r"\1\1", text) + "'"


def array(texts: Iterable[str]) -> str:
    """An array of literals, even if `texts` has none or only one."""
    return f"@({', '.join(map(quote, texts))})"


def arguments(command: Iterable[str]) -> str:
    """An array of literals, except for the secret, which PowerShell fills in."""
    return (
        "@(" + ", ".join(f'"{part}"' if SECRET in part else quote(part) for part in command) + ")"
    )


def script(step: str, *parts: str) -> str:
    """A script with its purpose in its first line."""
    return "\n".join([f"# remeasure: {step}", *(part.strip("\n") for part in parts)]) + "\n"


def step_of(text: str) -> str:
    """The purpose of a script, from its first line."""
    return text.partition("\n")[0].removeprefix("# remeasure: ")


def direct(program: str) -> list[str]:
    """The command that runs a short program and leaves standard input to the program; without this,
    PowerShell would read its input as commands."""
    encoded = base64.b64encode(program.encode("utf-16-le")).decode()
    options = (
        "-NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -InputFormat None "
        "-OutputFormat Text -EncodedCommand"
    )
    return ["powershell", *options.split(), encoded]


def command_line() -> str:
    """The command that the SSH server is asked to run for every script."""
    return " ".join(direct(read("run-sent")))


def encode(text: str, secret: str = "") -> bytes:
    """A script and its secret in the form that `command_line` reads."""
    return b"".join(base64.b64encode(part.encode()) + b"\n" for part in (text, secret))


def said(text: str) -> str:
    """The error output of a program as one line. PowerShell may wrap it in XML."""
    line = text.removeprefix("#< CLIXML")
    return " ".join(re.sub(r"<[^>]*>|_x000[DA]_", " ", line).split())


class WindowsRemote(Remote):
    """One Windows host. `run` takes a script of PowerShell."""

    alive = "exit"

    def run(
        self,
        command: str | Sequence[str],
        *,
        timeout: float = 60,
        check: bool = True,
        secret: str = "",
    ) -> str:
        """Run a script (made by `script`) and return its output. `secret` is the value of `$Secret`
        in it. Raises CommandFailed with the script's own words if it throws (with `check`) or after
        `timeout` seconds, HostUnreachable, and TypeError for argv instead of a script."""
        if not isinstance(command, str):
            raise TypeError(f"{self.name}: found argv {command}, expected a script")
        output, errors, code = self._recorded(
            ["powershell", command],
            step_of(command),
            command_line(),
            encode(command, secret),
            timeout,
        )
        if check and code:
            why = said(errors)
            if secret:
                why = why.replace(secret, SECRET)
            raise CommandFailed(f"{self.name}: {step_of(command)}: {why or f'exit {code}'}")
        return output

    def clock_offset(self) -> tuple[float, float]:
        """Offset of the host's clock and its largest error [s], as
        remeasure.bench.testbed.watching.clock_offset.offset_of gives them."""
        return offset_of(self, answer=direct(read("clock")))
