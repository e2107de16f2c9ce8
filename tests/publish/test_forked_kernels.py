"""Notebooks whose kernels are forks of one server, run by the workflow's own command."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from remeasure.publish.forked_kernels.server_process import SOCKET, start_server

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
    path = tmp_path_factory.mktemp("server") / "kernels"
    started = start_server(path)
    until(path.exists)
    yield started
    del os.environ[SOCKET]
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
    return subprocess.Popen(
        [sys.executable, "-m", "remeasure", "notebook"]
        + ["tried.ipynb", "done.ipynb", "done.html", "handed/tried"],
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
    for socket in (os.environ[SOCKET], ""):
        job = begin(tmp_path, SHOWN, **{SOCKET: socket})
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
    (relay,) = Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
    os.kill(int(relay), signal.SIGINT)
    assert (job.wait(60), job.stderr.read()) == (0, "")


def test_a_socket_with_too_long_a_path_starts_no_server(tmp_path):
    assert start_server(tmp_path / ("long" * 30)) is None
