"""PowerShell over SSH: literals, and a script that travels by standard input.

The command line is always the same short program. So it does not matter which shell the SSH server
hands it to (cmd.exe or PowerShell), it stays below the 8191 characters that cmd.exe takes, and no
secret is on a command line. It reads two lines of base64: the script, and
a value that the script finds in `$Secret`.
See about_Parsing, about_Quoting_Rules and about_PowerShell_exe in Microsoft's documentation.
"""

import base64
import re
from collections.abc import Iterable

SECRET = "$Secret"
"""stands in a script for the value that is sent beside the script"""

# Lines end with a line feed alone as soon as they leave the host: logs are kept as they arrive.
_PROGRAM = r"""
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
function Decode([string]$Text) {
    [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($Text.Trim()))
}
try {
    $sent = [Console]::In.ReadToEnd().Split([char]10)
    $Secret = Decode $sent[1]
    $said = & ([ScriptBlock]::Create((Decode $sent[0]))) | ForEach-Object { [string]$_ }
    $text = (@($said) -join "`n") -replace "`r`n?", "`n"
    if ($text) {
        $bytes = [Text.Encoding]::UTF8.GetBytes($text + "`n")
        $output = [Console]::OpenStandardOutput()
        $output.Write($bytes, 0, $bytes.Length)
        $output.Flush()
    }
} catch {
    [Console]::Error.WriteLine((([string]$_) -replace '\s+', ' '))
    exit 1
}
"""

# A program's exit status is no error to PowerShell.
NATIVE = """\
function Invoke-Native([string]$File, [string[]]$Arguments) {
    $said = & $File $Arguments
    if ($LASTEXITCODE -ne 0) {
        throw "$File $($Arguments[0..2] -join ' '): exit ${LASTEXITCODE}: $($said -join ' ')"
    }
    $said
}
"""
"""a function for scripts that run programs; it throws if one fails, naming no more than the first
three arguments, since a later one may be a secret"""


def quote(text: str) -> str:
    """A literal. PowerShell takes typographic single quotes for quotes as well."""
    return "'" + re.sub("(['\u2018\u2019\u201a\u201b])", r"\1\1", text) + "'"


def array(texts: Iterable[str]) -> str:
    """An array of literals, also if there is none or only one."""
    return f"@({', '.join(map(quote, texts))})"


def arguments(command: Iterable[str]) -> str:
    """An array of literals, except for the secret, which PowerShell fills in."""
    return (
        "@(" + ", ".join(f'"{part}"' if SECRET in part else quote(part) for part in command) + ")"
    )


def script(step: str, *parts: str) -> str:
    """A script that says in its first line what it does."""
    return "\n".join([f"# remeasure: {step}", *(part.strip("\n") for part in parts)]) + "\n"


def step_of(text: str) -> str:
    """What a script says in its first line that it does."""
    return text.partition("\n")[0].removeprefix("# remeasure: ")


def direct(program: str) -> list[str]:
    """The command that runs a short program and leaves standard input to it; otherwise PowerShell
    would read its input as commands."""
    encoded = base64.b64encode(program.encode("utf-16-le")).decode()
    return [
        "powershell",
        "-NoLogo",
        "-NoProfile",
        "-NonInteractive",
        "-ExecutionPolicy",
        "Bypass",
        "-InputFormat",
        "None",
        "-OutputFormat",
        "Text",
        "-EncodedCommand",
        encoded,
    ]


def command_line() -> str:
    """What the SSH server is asked to run for every script."""
    return " ".join(direct(_PROGRAM))


def encode(text: str, secret: str = "") -> bytes:
    """A script and its secret as `command_line` reads them."""
    return b"".join(base64.b64encode(part.encode()) + b"\n" for part in (text, secret))


def decode(sent: bytes) -> tuple[str, str]:
    """The script and the secret of `encode`."""
    text, secret = sent.split(b"\n")[:2]
    return base64.b64decode(text).decode(), base64.b64decode(secret).decode()


def said(text: bytes) -> str:
    """What a program wrote to its standard error, as one line. PowerShell may wrap it in XML."""
    line = text.decode(errors="replace").removeprefix("#< CLIXML")
    return " ".join(re.sub(r"<[^>]*>|_x000[DA]_", " ", line).split())
