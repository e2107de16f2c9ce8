"""OpenSSL's libcrypto with all files that it needs to run on any host of this architecture. The
cost of a cipher depends on the version of the library, and every kind of host has another one:
guests have their image's, namespaces this machine's. To vary library and host separately, a probe
takes one of the two along, with its dynamic loader, C library and provider of old ciphers. A host
then runs it in addition to its own."""

import hashlib
import re
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.image import Image, get_image
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.tools import environment

Origin = Literal["machine", "image"]
"""whose library: this machine's, or the guest image's"""

_PROVIDER = "legacy.so"
"""OpenSSL's provider of DES; older Debian packages have it with the library"""
_NEEDED = re.compile(r"^\s*(\S+) => (.+?)(?: \(0x[0-9a-f]+\))?$", re.MULTILINE)
_LOADER = re.compile(r"^\s*(/\S+/ld[\w.-]+) \(0x", re.MULTILINE)
_LINK = re.compile(r'^Fast link dest: "(.+)"$', re.MULTILINE)
_MODULES = re.compile(r'^MODULESDIR: "(.+)"$', re.MULTILINE)


@dataclass(frozen=True)
class Libraries:
    """The files of a library and of all that it needs: name -> content."""

    loader: str
    """name of the dynamic loader among them"""
    files: dict[str, bytes]


@cache
def get_libraries(origin: Origin, program: Path) -> Libraries:
    """The libraries that `program`, compiled on this machine against libcrypto, needs to run with
    the libraries of `origin`. The guest image is built if it is missing. Raises UserError."""
    return _of_image(get_image(), program) if origin == "image" else _of_machine(program)


def bring_libraries(remote: Remote, folder: str, libraries: Libraries) -> None:
    """Put the files of a library into `folder` of a host, unless they are there. Raises
    CommandFailed if the host refuses."""
    whole = hashlib.sha256()
    for name, content in sorted(libraries.files.items()):
        whole.update(name.encode() + hashlib.sha256(content).digest())
    complete, place = f"{folder}/complete", shlex.quote(folder)
    if remote.run(["cat", complete], check=False).strip() == whole.hexdigest():
        return
    remote.run(f"rm -rf {place} && mkdir -m 700 {place}")
    for name, content in libraries.files.items():
        remote.write(f"{folder}/{name}", content)
    remote.run(f"chmod 700 {place}/*")
    remote.write(complete, whole.hexdigest() + "\n")


def _of_machine(program: Path) -> Libraries:
    listed = _output(["ldd", str(program)])
    loader = _LOADER.search(listed)
    if not loader:
        raise UserError(f"{program}: ldd names no dynamic loader; found {listed[:200]!r}")
    paths = [Path(path) for _, path in _NEEDED.findall(listed)] + [Path(loader[1])]
    if modules := _MODULES.search(_output(["openssl", "version", "-m"])):
        paths += [path for path in [Path(modules[1]) / _PROVIDER] if path.exists()]
    return Libraries(Path(loader[1]).name, {path.name: path.read_bytes() for path in paths})


def _of_image(image: Image, program: Path) -> Libraries:
    """The files are read from the image's disk, as the loader asks for one after the other."""
    (loader,) = image.folder.glob("lib/ld-*")
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        for path in image.folder.glob("lib/*"):
            (here / path.name).write_bytes(path.read_bytes())
        while missing := _missing(loader, here, program):
            _dump(image, f"{_folder_of(loader)}/{missing}", here / missing)
        _dump(image, f"{_folder_of(loader)}/ossl-modules/{_PROVIDER}", here / _PROVIDER)
        return Libraries(loader.name, {path.name: path.read_bytes() for path in here.iterdir()})


def _missing(loader: Path, folder: Path, program: Path) -> str | None:
    """The first library that `program` needs and that is not in `folder`: the loader would take
    this machine's, or none."""
    listed = _output([str(loader), "--library-path", str(folder), "--list", str(program)])
    needed = (name for name, _ in _NEEDED.findall(listed) if not name.startswith("/"))
    return next((name for name in needed if not (folder / name).exists()), None)


def _folder_of(loader: Path) -> str:
    """The image's folder of libraries: Debian has one for each architecture, as loaders have."""
    architecture = loader.name.removeprefix("ld-linux-").partition(".")[0].replace("-", "_")
    return f"/usr/lib/{architecture}-linux-gnu"


def _dump(image: Image, path: str, to: Path) -> None:
    """Copy a file out of the image's disk; a symbolic link is followed. Raises UserError."""
    while link := _LINK.search(_output(["debugfs", "-R", f"stat {path}", str(image.disk)])):
        path = f"{path.rpartition('/')[0]}/{link[1]}"
    _output(["debugfs", "-R", f"dump {path} {to}", str(image.disk)])
    if not to.exists() or not to.stat().st_size:
        raise UserError(f"{image.disk}: no file {path}, which libcrypto needs")


def _output(command: list[str]) -> str:
    """Output of a command. Raises UserError if it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment())
    except FileNotFoundError:
        raise UserError(
            f"{command[0]} is not installed, which finds the libraries that a program needs"
        ) from None
    if done.returncode:
        raise UserError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()[:300]}")
    return done.stdout
