"""The work folder: all files that a trial makes on a host, and the programs that the trial runs.
Programs are copied into the folder and started from there. A process of the trial is therefore
recognised by its path, and no other process is ended. A file marks the folder; a folder without
that mark is not touched."""

from remeasure.bench.testbed.inventory import WindowsSettings
from remeasure_windows.powershell import quote, script

MARK = "made-by-remeasure.txt"

# Windows ignores case in paths, and so must this comparison.
_OURS = """\
Get-WmiObject Win32_Process | Where-Object {{
    $_.ExecutablePath -and $_.ExecutablePath.StartsWith({folder}, 'OrdinalIgnoreCase')
}}"""
_END = """\
foreach ($process in @({ours})) {{
    $null = $process.Terminate()
}}
for ($n = 0; @({ours}).Count -gt 0; $n++) {{
    if ($n -gt 100) {{ throw 'a program in the work folder does not end' }}
    Start-Sleep -Milliseconds 50
}}"""
_REMOVE = """\
if (Test-Path -LiteralPath {folder}) {{
    if (-not (Test-Path -LiteralPath {mark})) {{
        throw ({folder} + ' was not made by remeasure; name another one in windows.work')
    }}
    Remove-Item -LiteralPath {folder} -Recurse -Force
}}"""


def make(host: WindowsSettings) -> str:
    """A script that makes the folder and copies the programs into it, after removing remains of an
    earlier run."""
    words = _words(host)
    return script(
        "make the work folder",
        _END.format(**words),
        _REMOVE.format(**words),
        f"$null = New-Item -ItemType Directory -Path {words['folder']}",
        f"Set-Content -LiteralPath {words['mark']} -Value 'remeasure'",
        f"Copy-Item -Path {quote(path(host.tools, '*'))} -Destination {words['folder']} -Recurse",
    )


def remove(host: WindowsSettings) -> str:
    """A script that ends the programs that run from the folder, and removes it."""
    words = _words(host)
    return script("remove the work folder", _END.format(**words), _REMOVE.format(**words))


def path(folder: str, name: str) -> str:
    return folder.rstrip("\\") + "\\" + name


def _words(host: WindowsSettings) -> dict[str, str]:
    folder = quote(path(host.work, ""))
    return {
        "folder": folder,
        "mark": quote(path(host.work, MARK)),
        "ours": _OURS.format(folder=folder),
    }
