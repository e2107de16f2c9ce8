"""One file that unpacks itself: a script for bash, and behind it a compressed archive."""

import json
import platform
import subprocess
from pathlib import Path

from remeasure.bench.base.atomic import atomic_path
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.hashes import file_hash
from remeasure.bench.base.paths import ROOT, STAMP
from remeasure.bench.bundle.bundle_needs import Wanted
from remeasure.bench.bundle.python_packages import OLDEST_LIBC, versions
from remeasure.bench.bundle.tree import CODE
from remeasure.bench.campaign.profiles import profile_names

_PARTS = ROOT / "env" / "bundle"
_TAR = (
    *("tar", "--create", "--sparse", "--format=gnu", "--sort=name"),
    *("--owner=0", "--group=0", "--numeric-owner"),
)
_XZ = ("xz", "--x86", "--lzma2=preset=6", "-T0")
"""the filter for code of this architecture saves 3 %; Python 3.11 reads it"""


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
        "VERSIONS": " ".join(versions()),
        "OLDEST_LIBC": OLDEST_LIBC,
        "SCENARIOS": ", ".join(wanted.scenarios),
        "PROFILES": ", ".join(profile_names()),
        "SHA256_OF_ARCHIVE": file_hash(archive),
    }
    text = (_PARTS / "start.sh").read_text()
    text = text.replace("@PROGRAM@\n", (_PARTS / "start.py").read_text())
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    # A number is as long as its word, which makes the length of the text known here.
    head = len(text.encode())
    numbers = {"HEAD": head, "FILE": head + archive.stat().st_size, "DISK": needed}
    for word, number in numbers.items():
        text = text.replace(f"@{word}_BYTES@", f"{number:012}")
    return text.encode()
