"""One file that unpacks itself: a script for bash, and behind it a compressed archive."""

import json
import platform
import subprocess
import sys
import sysconfig
from pathlib import Path

from remeasure.atomic import atomic_path
from remeasure.bundle.bundle_needs import Wanted
from remeasure.bundle.tree import CODE
from remeasure.campaign.profiles import profile_names
from remeasure.errors import UserError
from remeasure.hashes import file_hash
from remeasure.paths import ROOT, STAMP

_PARTS = ROOT / "env" / "bundle"
_TAR = (
    *("tar", "--create", "--sparse", "--format=gnu", "--sort=name"),
    *("--owner=0", "--group=0", "--numeric-owner"),
)
_XZ = ("xz", "--x86", "--lzma2=preset=6", "-T0")
"""the filter for code of this architecture saves 3 %; Python 3.11 reads it"""
_WIDTH = 12
"""digits of each number in the beginning"""


def write_file(tree: Path, wanted: Wanted, to: Path) -> None:
    """Write the bundle of the files in `tree` to `to`. Raises UserError."""
    archive = tree.with_suffix(".tar.xz")
    _compress(tree, archive)
    needed = sum(path.lstat().st_blocks * 512 for path in tree.rglob("*"))
    commit = json.loads((tree / CODE / STAMP.name).read_text())["software"]
    text = _beginning(wanted, commit, archive, needed)
    with atomic_path(to) as part:
        with part.open("wb") as file, archive.open("rb") as content:
            file.write(text)
            while chunk := content.read(1 << 20):
                file.write(chunk)
        part.chmod(0o755)


def _compress(tree: Path, archive: Path) -> None:
    with archive.open("wb") as file:
        tar = subprocess.Popen([*_TAR, "--directory", tree, "."], stdout=subprocess.PIPE)
        xz = subprocess.run(_XZ, stdin=tar.stdout, stdout=file)
        if tar.stdout:
            tar.stdout.close()
        if tar.wait() or xz.returncode:
            raise UserError(f"bundle: {archive}: tar and xz could not write it (see above)")


def _beginning(wanted: Wanted, commit: str, archive: Path, needed: int) -> bytes:
    words = {
        "COMMIT": commit,
        "ARCHITECTURE": platform.machine(),
        "VERSION": f"{sys.version_info.major}.{sys.version_info.minor}",
        "ABI": str(sysconfig.get_config_var("SOABI")),
        "SCENARIOS": ", ".join(wanted.scenarios),
        "PROFILES": ", ".join(profile_names()),
        "SHA256_OF_ARCHIVE": file_hash(archive),
        "SIZE_WIDTH_12": f"{archive.stat().st_size:0{_WIDTH}}",
        "NEEDED_WIDTH_12": f"{needed:0{_WIDTH}}",
    }
    text = (_PARTS / "start.sh").read_text()
    text = text.replace("@PROGRAM@\n", (_PARTS / "start.py").read_text())
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    length = len(text.encode()) - len("@HEAD_WIDTH_12@") + _WIDTH
    return text.replace("@HEAD_WIDTH_12@", f"{length:0{_WIDTH}}").encode()
