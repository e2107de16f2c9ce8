"""Notebooks whose kernels are forks of one server, run by the workflow's own command."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from remeasure.paper.publish.forked_kernels.server_process import start_servers
from remeasure.paper.servers import FOLDER, NOTEBOOKS, TABLES

SHOWN = """\
import os
import pandas as pd
import altair as alt
from IPython.display import display
display(pd.DataFrame([range(30)] * 80), os.environ["SAID"], hash("a text"), os.getcwd())
display(alt.Chart(pd.DataFrame({"x": [1]})).mark_point().to_dict())
"""
FAMILY = "import os; open('family', 'w').write(f'{os.getpid()} {os.getppid()}')"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that this process started, as Snakemake does."""
    (started,) = start_servers(tmp_path_factory.mktemp("server"), [NOTEBOOKS])
    yield started
    del os.environ[FOLDER]
    started.stdin.close()
    assert started.wait(10) == 0


def until(holds) -> None:
    """Wait until this is so, at most for a minute."""
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    pytest.fail("it never was so")


def running(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(one) for one in found.read_text().split()] if found.exists() else []


def test_ctrl_c_is_for_snakemake_and_not_for_its_servers(server):
    assert os.getpgid(server.pid) != os.getpgid(0)


def begin(folder: Path, cell: str, **environment: str) -> subprocess.Popen:
    """Run a notebook of one cell in `folder`."""
    parameters = nbformat.v4.new_code_cell("out = ''", metadata={"tags": ["parameters"]})
    made = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# Tried"),
            parameters,
            nbformat.v4.new_code_cell(cell),
        ],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
        },
    )
    for place, one in enumerate(made.cells):
        one.id = f"cell-{place}"
    made.cells[2].source += "\nos.makedirs(out)"
    nbformat.write(made, folder / "tried.ipynb")
    made_of = ("tried.ipynb", "done.ipynb", "handed/tried")
    return subprocess.Popen(
        [sys.executable, "-m", "remeasure", "notebook", *made_of],
        cwd=folder,
        env=os.environ | {"SAID": "by the job"} | environment,
        stderr=subprocess.PIPE,
        text=True,
    )


def family(folder: Path) -> list[int]:
    """Process ids of a kernel that runs FAMILY, and of its parent."""
    until(lambda: (folder / "family").exists() and (folder / "family").read_text())
    return [int(pid) for pid in (folder / "family").read_text().split()]


def test_a_fork_gives_what_a_kernel_of_its_own_gives(server, tmp_path):
    documents = []
    for folder in (os.environ[FOLDER], ""):
        job = begin(tmp_path, SHOWN, **{FOLDER: folder})
        assert job.wait(60) == 0, job.stderr.read()
        documents.append((tmp_path / "done.ipynb").read_text())
    assert documents[0] == documents[1]
    assert "by the job" in documents[0] and "[80 rows x 30 columns]" in documents[0]


def test_a_kernel_is_a_fork_and_ends_with_its_notebook(server, tmp_path):
    job = begin(tmp_path, FAMILY)
    kernel, parent = family(tmp_path)
    assert job.wait(60) == 0, job.stderr.read()
    assert parent == server.pid
    until(lambda: not running(kernel))


def test_a_fork_lacks_no_thread_of_the_server(server, tmp_path):
    """jemalloc, which pyarrow brings along, starts its own thread again in a fork."""
    assert begin(tmp_path, "import os").wait(60) == 0
    threads = [(t / "comm").read_text().strip() for t in Path(f"/proc/{server.pid}/task").iterdir()]
    others = [name for name in threads if name != "jemalloc_bg_thd"]
    assert len(others) == 1, threads


def test_a_kernel_ends_with_a_job_that_is_killed(server, tmp_path):
    job = begin(tmp_path, FAMILY + "; import time; time.sleep(600)")
    kernel, _ = family(tmp_path)
    job.kill()
    until(lambda: not running(kernel))


def test_a_job_that_is_killed_leaves_nothing_behind(server, tmp_path):
    job = begin(tmp_path, FAMILY + "; import time; time.sleep(600)")
    family(tmp_path)
    job.kill()
    until(lambda: not list(tmp_path.glob("handed/.*")))
    until(lambda: not children(server.pid))


def test_a_job_whose_fork_is_killed_is_one_line(server, tmp_path):
    job = begin(tmp_path, FAMILY + "; import time; time.sleep(600)")
    kernel, _ = family(tmp_path)
    (fork,) = set(children(server.pid)) - {kernel}
    os.kill(fork, signal.SIGKILL)
    assert job.wait(60) == 1
    said = job.stderr.read()
    assert re.fullmatch(
        r"remeasure: tried.ipynb: its process was killed \(.*\); run it again\n", said
    )
    assert not list(tmp_path.rglob("*.part"))


def test_a_kernel_that_is_killed_is_one_line(server, tmp_path):
    job = begin(tmp_path, FAMILY + "; import time; time.sleep(600)")
    os.kill(family(tmp_path)[0], signal.SIGKILL)
    assert job.wait(60) == 1
    said = job.stderr.read().splitlines()
    assert len(said) == 1 and "its kernel was killed while a cell ran" in said[0], said


def test_an_interrupt_as_jupyter_sends_one_at_the_end_says_nothing(server, tmp_path):
    """The relay, a process that the job started, stands for the kernel there."""
    job = begin(tmp_path, FAMILY + "; import time; time.sleep(2)")
    family(tmp_path)
    (relay,) = (pid for fork in children(server.pid) for pid in children(fork))
    os.kill(relay, signal.SIGINT)
    assert (job.wait(60), job.stderr.read()) == (0, "")


def test_a_socket_with_too_long_a_path_starts_no_server(tmp_path):
    assert not start_servers(tmp_path / ("long" * 30), [NOTEBOOKS])


def test_tables_that_cannot_be_made_are_the_same_line_from_a_fork(tmp_path, monkeypatch):
    block = tmp_path / "block-01.zip"
    block.write_bytes(b"no archive")
    command = [sys.executable, "-m", "remeasure", "tidy", str(tmp_path / "tables"), str(block)]
    said = []
    sockets = tmp_path / "sockets"
    sockets.mkdir()
    (started,) = start_servers(sockets, [TABLES])
    for folder in (str(sockets), ""):
        monkeypatch.setenv(FOLDER, folder)
        done = subprocess.run(command, capture_output=True, text=True)
        said.append((done.returncode, done.stderr))
    started.stdin.close()
    assert started.wait(10) == 0
    assert said[0] == said[1]
    assert said[0][0] == 1 and "block-01.zip: not a block archive" in said[0][1]
    assert not list((tmp_path / "tables").glob("*"))
