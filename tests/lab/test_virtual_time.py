"""A guest in virtual time: its clock, its random numbers, and its failures."""

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from inside import said
from real_guests import run_inside

from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab.namespace import enter
from remeasure.bench.lab.virtual import virtual_lab
from remeasure.bench.lab.virtual.guest import get_parts
from remeasure.bench.lab.virtual.virtual_lab import VirtualLab
from remeasure.bench.testbed.watching.processor_time import read_processes, tree

pytestmark = pytest.mark.lab
DRAW = "od -An -tx8 -N8 /dev/urandom; cat /sys/class/net/*/address /proc/sys/kernel/random/uuid"
DRAW_OFTEN = f"for i in $(seq 40); do {DRAW}; ping -q -c 2 -i 0.01 192.0.2.2; done"
LOOK = "ls -lAiUR --time-style=full-iso /etc; stat -f /; find /usr -maxdepth 2 | head -n 200"


def run_guests(folder: str) -> dict:
    parts = get_parts()
    enter(tun=False)
    make = partial(VirtualLab, load_topology("host-to-host"), parts, 512)
    with ExitStack() as stack:
        one, other, again = (
            stack.enter_context(closing(make(0, seed))) for seed in ("test", "other", "test")
        )
        drawn = [printed(lab, DRAW) for lab in (one, other, again)]
        with stopping_often(again):
            stopped = printed(again, DRAW_OFTEN)
        found = {"drawn": drawn, "stopped": [printed(one, DRAW_OFTEN), stopped]}
        # Additions of the machine to its files: the same seed, and a copy of the root.
        root, parts.root = parts.root, Path(folder, "root")
        shutil.copytree(root, parts.root, symlinks=True)
        with closing(make(0, "test")) as copied:
            found["copied"] = [printed(lab, LOOK) for lab in (one, copied)]
        parts.root = root
        found |= clock_of(again) | {"loop": loop_in(other)}
        one._guest.stop()
        found["killed"] = said(lambda: one.ask("left", "true", b"", 5))
    with closing(make(1000, "test")) as costly:
        found["calls"] = costly.ask("left", "perl -e 'getppid while 1'", b"", 0.01).status
    return found | without_parts(parts, Path(folder), lambda: make(0, "test"))


def printed(lab: VirtualLab, command: str) -> str:
    return lab.ask("left", command, b"", 100).output.decode()


def clock_of(lab: VirtualLab) -> dict:
    """A clock that stands, and leaps."""
    slept = lab.ask("left", "ping -c 3 192.0.2.2 >/dev/null; sleep 3600; exit 7", b"", 5000)
    late = lab.ask("left", "sleep 100", b"", 10)
    return {
        name: [answer.status, (answer.end_ns - answer.start_ns) / 1e9]
        for name, answer in (("slept", slept), ("late", late))
    }


def loop_in(lab: VirtualLab) -> str:
    virtual_lab.STANDING_LIMIT_S = 2
    return said(lambda: lab.ask("left", "perl -e '1 while 1'", b"", 10))


@contextmanager
def stopping_often(lab: VirtualLab) -> Iterator[None]:
    """While the context lasts, the lab's guest is stopped and let go on, again and again."""
    ended = threading.Event()

    def stop_and_continue() -> None:
        while not ended.wait(0.2):
            processes = tree(read_processes(), lab.process)
            for order in (signal.SIGSTOP, signal.SIGCONT):
                for process in processes:
                    with suppress(ProcessLookupError):
                        os.kill(process, order)
                time.sleep(0.05)

    stopper = threading.Thread(target=stop_and_continue)
    stopper.start()
    yield
    ended.set()
    stopper.join()


def without_parts(parts, folder: Path, make) -> dict[str, str]:
    """Output of guests that do not begin."""
    virtual_lab.BOOT_LIMIT_S = 5
    library, parts.library = parts.library, folder / "virtual-time.so"
    parts.library.write_bytes(b"no library")
    found = {"no library": said(make)}
    parts.library, parts.kernel = library, folder / "kernel"
    parts.kernel.write_text("#!/bin/sh\necho no seccomp here\nexit 1\n")
    parts.kernel.chmod(0o755)
    return found | {"no kernel": said(make)}


@pytest.fixture(scope="module")
def found(shared_project, tmp_path_factory):
    return run_inside(shared_project, run_guests, tmp_path_factory.mktemp("virtual"))


def test_sleeping_takes_virtual_time_alone_and_a_command_is_ended_by_its_clock(found):
    status, seconds = found["slept"]
    assert status == 7, "the exit status of the command"
    assert seconds == pytest.approx(3602, abs=0.1), "two seconds of ping, and an hour"
    assert found["late"] == [124, pytest.approx(10, abs=0.01)]


def test_the_seed_decides_what_is_drawn(found):
    first, other, again = found["drawn"]
    assert first == again != other


def test_a_root_that_was_copied_looks_the_same(found):
    """Though its inodes and times are others, and its folders list their files as they please."""
    here, copied = found["copied"]
    assert "swanctl.conf" in here and copied == here


def test_a_guest_that_is_stopped_goes_on_as_if_it_had_not_been(found):
    alone, stopped = found["stopped"]
    assert "2 received" in alone and stopped == alone


def test_a_loop_that_never_reads_the_clock_is_found(found):
    assert found["loop"].startswith("virtual time: the guest used 2 s of processor time, and no")
    assert "perl -e '1 while 1'" in found["loop"], "the command is named"
    assert found["calls"] == 124, "where system calls take time, a loop of them ends"


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("killed", "guest virtual was killed by signal 9"),
        ("no library", "cannot be preloaded"),
        ("no kernel", "did not boot: no seccomp here"),
    ],
)
def test_a_guest_that_fails_says_why(found, what, told):
    assert told in found[what] and "\n" not in found[what]
