"""`remeasure try` with pairs and options that are wrong, as a user runs it: the reason in the first
line, the exit status, and nothing left over."""

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cases import cases

from remeasure.bench.lab.namespace import RUN

BASE = cases(__file__, "base")
COMMAND = Path(sys.executable).with_name("remeasure")
ADOPT = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2)"""


def children() -> set[str]:
    """Processes that this one started, or that were left to it."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True
    )
    return {line.strip() for line in listed.stdout.splitlines() if "ps" not in line.split()}


def tried(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    """Exit status and lines of the command, which leaves nothing behind."""
    ctypes.CDLL(None).prctl(ADOPT, 1, 0, 0, 0)
    processes, files = children(), set(folder.iterdir())
    command = [COMMAND, "try", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert children() == processes
    assert set(folder.iterdir()) == files
    assert not RUN.exists() or not any(RUN.iterdir())
    assert "Traceback" not in done.stderr
    return done.returncode, (done.stderr + done.stdout).splitlines()


def write_pair(folder: Path, changes=()) -> None:
    texts = dict(BASE)
    for side, old, new in changes:
        assert old in texts[side]
        texts[side] = texts[side].replace(old, new, 1)
    for side, text in texts.items():
        (folder / f"{side}.conf").write_text(text)


@pytest.mark.parametrize("name", cases(__file__, "refused"))
def test_it_is_refused_in_one_line(tmp_path, name):
    changes, options, status, first = cases(__file__, "refused")[name]
    write_pair(tmp_path, changes)
    found, lines = tried(tmp_path, "left.conf", "right.conf", *options.split())
    assert (found, len(lines)) == (status, 1), lines
    assert lines[0].startswith("remeasure: ") and first in lines[0]


@pytest.mark.lab
@pytest.mark.slow
@pytest.mark.parametrize("name", cases(__file__, "tried"))
def test_the_first_line_has_the_reason(tmp_path, name):
    changes, options, status, first = cases(__file__, "tried")[name]
    write_pair(tmp_path, changes)
    found, lines = tried(tmp_path, "left.conf", "right.conf", *options.split())
    assert (found, lines[0][: len(first)]) == (status, first), lines
    assert len(lines) <= 40


def test_files_that_cannot_be_read(tmp_path):
    write_pair(tmp_path)
    (tmp_path / "loop.conf").symlink_to("loop.conf")
    (tmp_path / "folder").mkdir()
    expected = {
        "loop.conf": "loop.conf: Too many levels of symbolic links; remove the link",
        "gone.conf": "gone.conf: No such file or directory; put it back, or give a path",
        "folder": "folder: found a folder without swanctl.conf, expected one like /etc/swanctl",
        "/dev/null": "/dev/null: not a file; expected one with the text of swanctl.conf(5)",
    }
    for name, line in expected.items():
        status, lines = tried(tmp_path, name, "right.conf")
        assert (status, len(lines)) == (1, 1), lines
        assert lines[0].startswith(f"remeasure: {line}")


@pytest.mark.lab
@pytest.mark.slow
def test_one_of_two_hundred_connections_is_tried(tmp_path):
    for side, text in BASE.items():
        body, _, secrets = text.removeprefix("connections {\n").rpartition("}\nsecrets")
        many = "".join(
            re.sub(r"site|right\b", rf"\g<0>{n}", body).replace("10.2.", f"10.{n}.")
            for n in range(20, 220)
        )
        (tmp_path / f"{side}.conf").write_text(f"connections {{\n{many}}}\nsecrets{secrets}")
    status, lines = tried(tmp_path, "left.conf", "right.conf", "--connection", "site150")
    assert (status, lines[0]) == (0, "LEAKS")
    assert lines[1].startswith("left.conf: site150/net on 203.0.113.1  <->  right.conf: site150/")
    assert "note: left: only site150 of 200 connections is tried" in lines
