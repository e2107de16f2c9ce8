"""The agent of a guest in virtual time, by itself at a terminal of this machine."""

import os
import pty
import select
import shlex
import subprocess
import time

import pytest

from remeasure.bench.base.paths import ROOT


@pytest.fixture
def agent(tmp_path):
    """A terminal at which the agent answers, and the folder that it takes questions from."""
    program, folder = tmp_path / "agent", tmp_path / "channel"
    folder.mkdir()
    subprocess.run(["cc", "-o", program, ROOT / "env/virtual-time/agent.c"], check=True)
    ours, theirs = pty.openpty()
    words = shlex.join([str(program), os.ttyname(theirs), str(folder)])
    inside = f"mount -t tmpfs none /run && exec {words}"
    with subprocess.Popen(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", inside]
    ) as process:
        assert line(ours).startswith("0 0 ")
        yield ours, folder
        process.kill()
    os.close(ours)
    os.close(theirs)


def line(terminal: int) -> str:
    """What the agent answers, until its line ends."""
    text = ""
    while not text.endswith("\n"):
        assert select.select([terminal], [], [], 20)[0], f"no answer after {text!r}"
        text += os.read(terminal, 1).decode()
    return text


@pytest.mark.parametrize("parts", [["1 - 5\n"], ["1", " -", " 5\n"], ["1 - 5", "\n"]])
def test_a_question_may_come_in_parts(agent, parts):
    """A busy guest was seen to pass on `43 clie` of `43 client1 60`."""
    terminal, folder = agent
    (folder / "1.script").write_text("echo said; exit 7")
    (folder / "1.input").write_bytes(b"")
    for part in parts:
        os.write(terminal, part.encode())
        time.sleep(0.2)
    assert line(terminal).split()[:2] == ["1", "7"]
    assert (folder / "1.output").read_text() == "said\n"
