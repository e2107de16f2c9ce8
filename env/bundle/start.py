"""The beginning of a bundle: unpacks it once, and runs what was asked. It is part of the bundle,
and runs on machines that have Python alone.

Words in capitals between @ are replaced when a bundle is made. Numbers of bytes are as long as the
words that they replace.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import sys
import sysconfig
import tarfile
from pathlib import Path

HEAD = int("@HEAD_BYTES@")
"""bytes of this beginning, behind which the archive is"""
SHA256 = "@SHA256_OF_ARCHIVE@"
OLDEST_LIBC = "@OLDEST_LIBC@"
NEEDED = int("@DISK_BYTES@")
"""space that the unpacked files take [bytes]"""
COMMANDS = ("measure", "check")
HELP = """usage:
  ./FILE measure CAMPAIGN SCENARIO BLOCK --profile PROFILE [--testbed lab] [--seed N]
  ./FILE check lab --scenario SCENARIO

Measures a block of a scenario into ./CAMPAIGN/SCENARIO/block-NN.zip. Take the folder CAMPAIGN home,
and there: env/run remeasure import CAMPAIGN

scenarios: @SCENARIOS@
profiles:  @PROFILES@
software:  @COMMIT@
"""


def fail(message: str) -> None:
    print(f"bundle: {message}", file=sys.stderr)
    sys.exit(1)


def check_whole(bundle: Path) -> None:
    """End unless the archive is as it was made; its size was checked before Python was started."""
    with bundle.open("rb") as file:
        file.seek(HEAD)
        hashed = hashlib.file_digest(file, "sha256").hexdigest()
    if hashed != SHA256:
        fail(f"{bundle}: found SHA-256 {hashed}, expected {SHA256}: copy it again")


def check_machine() -> None:
    """End unless this Python can load the packages."""
    found = sysconfig.get_config_var("SOABI")
    expected = f"cpython-3{sys.version_info.minor}-@ARCHITECTURE@-linux-gnu"
    if found != expected:
        fail(f"found a Python for {found}, expected {expected}; install another Python")
    libc = os.confstr("CS_GNU_LIBC_VERSION") or "unknown"
    if not as_numbers(libc.split()[-1]) >= as_numbers(OLDEST_LIBC):
        fail(f"found C library {libc}, expected {OLDEST_LIBC} or later")
    try:
        import ctypes
        import lzma  # noqa: F401

        # Compiled packages for Linux expect it beside the C library.
        ctypes.CDLL("libgcc_s.so.1")
    except (ImportError, OSError) as error:
        fail(f"Python cannot load what it needs ({error}); install it")


def as_numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".") if number.isdigit()]


def caches() -> Path:
    named, home = os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME")
    if not named and not home:
        fail("neither XDG_CACHE_HOME nor HOME is set; name a folder to unpack to in XDG_CACHE_HOME")
    return Path(named or f"{home}/.cache").absolute() / "ipsec-remeasured-bundles"


def unpacked(bundle: Path) -> Path:
    """The folder with the files of the bundle, which is whole if it is there."""
    folder = caches() / SHA256[:16]
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            part = folder.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            try:
                unpack(bundle, part)
                part.rename(folder)
            except BaseException:
                shutil.rmtree(part, ignore_errors=True)
                raise
    return folder


def unpack(bundle: Path, folder: Path) -> None:
    print(
        f"bundle: unpacking {NEEDED >> 20} MiB to {folder.with_suffix('')}, once", file=sys.stderr
    )
    with bundle.open("rb") as file:
        file.seek(HEAD)
        with tarfile.open(fileobj=file, mode="r|xz") as archive:
            # Python 3.11.2 has no filters, and later ones refuse what they take for odd modes.
            if hasattr(tarfile, "fully_trusted_filter"):
                archive.extraction_filter = tarfile.fully_trusted_filter
            archive.extractall(folder)


def main() -> None:
    bundle, arguments = Path(sys.argv[1]), sys.argv[2:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(HELP, end="")
        return
    if arguments[0] not in COMMANDS:
        fail(f"found {arguments[0]!r}, expected {' or '.join(COMMANDS)}; see {bundle} --help")
    check_machine()
    try:
        check_whole(bundle)
        folder = unpacked(bundle)
    except KeyboardInterrupt:
        fail("interrupted; nothing was unpacked")
    except OSError as error:
        fail(
            f"{error.filename or caches()}: {error.strerror}; it needs {NEEDED >> 20} MiB "
            "there, or in a folder that XDG_CACHE_HOME names"
        )
    modules = ("code/workflow", f"python-3.{sys.version_info.minor}", "python")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(str(folder / name) for name in modules),
        "PYTHONNOUSERSITE": "1",
        "XDG_CACHE_HOME": f"{folder}/cache",
    }
    with contextlib.suppress(KeyError):
        del environment["PYTHONHOME"]
    command = [sys.executable, "-P", "-m", "remeasure", *arguments]
    os.execve(sys.executable, command, environment)


main()
