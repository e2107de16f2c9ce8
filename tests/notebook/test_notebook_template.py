"""The notebook that CONTRIBUTING tells to copy: a copy runs."""

import json
import shutil

from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.folder import configured_blocks
from remeasure.paper.publish.execution.run import run_notebook
from remeasure.paper.publish.page.render import write_page


def test_a_copy_of_the_template_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    source = shutil.copy(ROOT / "notebooks/template/template.ipynb", tmp_path / "copied.ipynb")
    parameters = {
        "tidy": "data/tidy/receive-offload",
        "blocks": [str(path.relative_to(ROOT)) for path in configured_blocks("receive-offload")],
    }
    page, handed = tmp_path / "copied.html", tmp_path / "copied"
    executed = tmp_path / "executed.ipynb"
    run_notebook(source, parameters, executed, handed)
    write_page(executed, page)
    assert "Where and when this was measured" in page.read_text()
    assert list(handed.glob("figures/*-estimates.svg"))
    assert json.loads((handed / "lineage.json").read_text())["tables"]
