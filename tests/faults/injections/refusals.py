"""What the machine refuses a command, by means of its own (grounds/released.py)."""

import os
import signal
import time

import pytest

from injections import injection

_READ_ONLY = 'mount --bind . . && mount -o remount,ro,bind . && cd "$PWD" && exec "$@"'


@injection
def read_only(ground, _: bool) -> None:
    """The project lies on a file system that is mounted for reading alone."""
    ground.wrapper = ["unshare", "--user", "--map-root-user", "--mount", "bash", "-c"]
    ground.wrapper += [_READ_ONLY, "read-only"]


@injection
def forbid(ground, names: list[str]) -> None:
    """The folders are another user's. Only root can give them away; then it gives up what would let
    it write there all the same. In a namespace of its own it has that again, but not over files of
    a user who is not there."""
    if os.geteuid():
        pytest.skip("only root can give a folder to another user")
    for name in names:
        path = ground.project.folder / name
        os.chown(path, 1, 1)
        path.chmod(0o555)
    ground.wrapper = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


@injection
def system_call(ground, errors: dict[str, str]) -> None:
    """System call -> the error with which the kernel answers it, by strace(1)."""
    injected = [part for call, error in errors.items() for part in ("-e", f"{call}:error={error}")]
    traced = ["-e", f"trace={','.join(errors)}"]
    injected = [f"inject={part}" if ":" in part else part for part in injected]
    ground.wrapper = ["strace", "-f", "-o", "/dev/null", *traced, *injected]


@injection
def under(ground, command: list[str]) -> None:
    """A command that starts the ground's command."""
    ground.wrapper = command


@injection
def killed_before(ground, command: list[str]) -> None:
    """The power went while this command, a snakemake, was at work in the folder."""
    ground.project.environment["TMPDIR"] = str(ground.temporary)
    process = ground.project.start(*command, start_new_session=True)
    # Snakemake makes the folder of a job's output just before the job.
    while process.poll() is None and not (ground.project.folder / "results").exists():
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert list(ground.temporary.iterdir()), "it left nothing"


@injection
def done_before(ground, command: list[str]) -> None:
    """This command was run without a fault."""
    said = ground.run(command)
    assert said.status == 0, said.output


@injection
def link_to(ground, names: dict[str, str]) -> None:
    """Folder -> where it lies really, beside the project; a symbolic link stands in its place."""
    for name, elsewhere in names.items():
        path, target = ground.project.folder / name, ground.project.folder.parent / elsewhere
        path.rename(target)
        path.symlink_to(target, target_is_directory=True)


@injection
def move_project(ground, name: str) -> None:
    """The clone lies elsewhere from now on."""
    folder = ground.project.folder.parent / name
    ground.project.folder.rename(folder)
    ground.project.folder = folder
    ground.project.environment["PYTHONPATH"] = str(folder / "workflow")
