"""Programs in C for hosts: env/programs has their sources, and its script `build` compiles them on
this machine."""

import subprocess
from functools import cache
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.bench.testbed.remote import CommandFailed, Remote


@cache
def get_program(name: str) -> Path:
    """The program of env/programs/<name>.c, cached by the hash of its recipe; it is compiled if
    it is missing. Raises UserError if that fails, after the script printed the reason."""
    build = subprocess.run(
        [ROOT / "env" / "programs" / "build", name], stdout=subprocess.PIPE, text=True
    )
    if build.returncode:
        raise UserError(f"program {name} could not be compiled (see above)")
    return Path(build.stdout.splitlines()[-1])


def bring(remote: Remote, name: str, place: str) -> None:
    """Put the program at `place` on a host. Raises CommandFailed if the host has another
    architecture than this machine, or refuses the file."""
    ours = subprocess.run(["uname", "-m"], capture_output=True, text=True).stdout.strip()
    theirs = remote.run(["uname", "-m"]).strip()
    if theirs != ours:
        raise CommandFailed(
            f"{remote.name}: {name} was compiled for {ours}, found {theirs}; run the workflow on "
            "that machine, with testbed netns"
        )
    remote.write(place, get_program(name).read_bytes())
    remote.run(f"chmod 700 {place}")
