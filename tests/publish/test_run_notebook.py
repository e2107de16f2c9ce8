"""What a notebook asks of the program that runs it."""

from pathlib import Path

import nbformat
import pytest

from remeasure.bench.base.errors import UserError
from remeasure.paper.publish.execution.run import run_notebook


def test_a_notebook_for_another_kernel_is_refused_in_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kernel = {"name": "ir", "display_name": "R", "language": "R"}
    nbformat.write(nbformat.v4.new_notebook(metadata={"kernelspec": kernel}), "tried.ipynb")
    says = "tried.ipynb: metadata.kernelspec.name: found 'ir', expected 'python3'"
    with pytest.raises(UserError, match=says) as error:
        run_notebook(Path("tried.ipynb"), {}, Path("done.ipynb"), Path("handed"))
    assert "\n" not in str(error.value)
    assert not Path("done.ipynb").exists()
