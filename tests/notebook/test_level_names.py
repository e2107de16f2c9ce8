"""Numbers of levels come from settings (bench.campaign.quantities): no notebook reads one out of a
level's name, so a level may be called as its author likes."""

import ast
import json
from collections.abc import Iterator

import pytest

from notebooks.replay_window.asks import ReplayWindow
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign import folder
from remeasure.bench.campaign.scenario import Scenario
from remeasure.paper.notebook import scenario_notebook
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

RENAMED = {"window": {"0": "off", "32": "narrow", "4096": "wide"}, "rate": {"100M": "1G"}}


@pytest.fixture
def notebook(monkeypatch, tmp_path):
    """Released trials of replay-window whose campaigns gave some levels other names."""
    measured, read = folder.measured_scenario, scenario_notebook.read_tables

    def scenario(block):
        found = measured(block)
        document = json.loads(json.dumps(found.document)) | {"only": {}}
        windows = document["factors"]["window"].items()
        document["factors"]["window"] = {RENAMED["window"].get(w, w): of for w, of in windows}
        document["probes"]["udp"]["each"]["rate"] = ["10M", "50M", "1G"]
        return Scenario(found.name, document, found.profile, "renamed", found.documents)

    def tables(*arguments):
        found = read(*arguments)
        for table in found.values():
            for factor in RENAMED.keys() & {*table}:
                table[factor] = table[factor].replace(RENAMED[factor])
        return found

    monkeypatch.setattr(folder, "measured_scenario", scenario)
    monkeypatch.setattr(scenario_notebook, "read_tables", tables)
    return ScenarioNotebook("data/tidy/replay-window", [], tmp_path / "replay_window")


def test_levels_may_have_any_name(notebook):
    trials = ReplayWindow(notebook, "mean")
    assert trials.rates == ["10M", "50M", "1G"]
    assert trials.per_second("1G") == 1e9 / 8 / trials.length
    assert [trials.windows[0], *trials.windows[-2:]] == ["narrow", "wide", "off"]
    assert trials.predicted("wide", "reordering", "10M") == 1
    assert list(trials.advice()["rate"])[-1] == "1000M"
    trials.quote_advice()
    trials.chart()
    notebook.results.close()
    numbers = json.loads((notebook.results.folder / "numbers.json").read_text())
    assert numbers["replaywindowRateFast"]["text"] == "1000"


def test_a_level_that_sets_no_number_is_refused(notebook):
    assert notebook.numbers("network", "jitter")["reordering"] == 20
    with pytest.raises(UserError, match="factor network: level 'normal' sets no single number"):
        notebook.number("network", "normal")


NO_TEXT = {"map", "max", "mean", "min", "number", "round", "sum"}
"""functions that return numbers"""
READ = {
    "notebooks/calibration/model.py": ["found['metric'].str.removesuffix(_AT_PACE)"],
    "notebooks/claims/asks.py": ["int(number)"],
    "notebooks/compare/asks.py": ["float(high)", "float(low)", "float(value)"],
    "notebooks/eap_methods/asks.py": ["int(one.block['block'])"],
    "notebooks/key_exchange/reading.py": [
        "float(binomtest(cell.slow, cell.count, model.slow).pvalue)",
        "float(delays.std(ddof=1))",
        "float(slow.std(ddof=1))",
        "map(int, table['block'])",
    ],
    "notebooks/reordering_causes/asks.py": [
        "float((self.shown['sent'] / self.shown['per_second']).iloc[0])",
        "float(run.per_second)",
        "float(run.wait_s)",
        "int(lost)",
        "int(settings.probes[flow].model_dump()['length'])",
        "int(size)",
    ],
    "notebooks/replay_window/model.py": ["float('nan')"],
    "notebooks/window_sizes/asks.py": ["late['cause'].str.removesuffix('-50')"],
    "workflow/remeasure/paper/notebook/my_tunnel.py": [
        "float(computing[method])",
        "float(exchanges[method])",
        "float(sent[method])",
    ],
    "workflow/remeasure/paper/notebook/pictures.py": ["float(match[2])", "int(number)"],
    "workflow/remeasure/paper/notebook/results.py": [
        "float(value)",
        "int(found.value)",
        "name.removeprefix(self.prefix)",
    ],
    "workflow/remeasure/paper/notebook/shared_tables.py": [
        "entry['verdict'].removesuffix(' that matters')"
    ],
    "workflow/remeasure/paper/notebook/strongswan_versions.py": ["map(int, one.split('.'))"],
    "workflow/remeasure/paper/notebook/trace/origins_record.py": ["int(key)"],
}
"""file -> conversions there of something else than a level's name"""
CUT = {"lstrip", "removeprefix", "removesuffix", "rstrip", "to_numeric"}


def convert(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("int", "float")


def computed(node: ast.AST) -> bool:
    """Whether an expression is a number, or several, by its form."""
    called = node.func.attr if isinstance(node, ast.Call) and hasattr(node.func, "attr") else ""
    numpy = ast.unparse(node).startswith("np.")
    return numpy or isinstance(node, ast.BinOp) or called in NO_TEXT


def reads_text(node: ast.AST) -> bool:
    """Whether a call may make a number of a text, or cuts the text's begin or end off."""
    match node:
        case ast.Call(func=ast.Name("int" | "float"), args=[of]):
            return not computed(of)
        case ast.Call(func=ast.Attribute(value=of, attr="astype"), args=[to]) if convert(to):
            return not computed(of)
        case ast.Call(func=ast.Name("map") | ast.Attribute(attr="map" | "apply"), args=[to, *_]):
            return convert(to)
        case ast.keyword(arg="key"):
            return convert(node.value)
        case ast.Call(func=ast.Attribute(attr=name), args=[_, *_]):
            return name in CUT
    return False


def sources() -> Iterator[tuple[str, str]]:
    """Modules of notebooks, cells, and modules that notebooks import: name, source."""
    for pattern in ("notebooks/*/*.py", "workflow/remeasure/paper/notebook/**/*.py"):
        for path in ROOT.glob(pattern):
            yield str(path.relative_to(ROOT)), path.read_text()
    for path in ROOT.glob("notebooks/*/*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] == "code":
                yield str(path.relative_to(ROOT)), "".join(cell["source"])


def test_no_notebook_reads_a_number_out_of_a_name():
    found = {
        f"{name}: {ast.unparse(node)}"
        for name, source in sources()
        for node in ast.walk(ast.parse(source))
        if reads_text(node)
    }
    known = {f"{name}: {one}" for name, of in READ.items() for one in of}
    assert found - known == set()
