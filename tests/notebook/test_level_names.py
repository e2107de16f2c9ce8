"""Numbers of levels come from settings (bench.campaign.quantities): no notebook reads one out of a
level's name, so a level may be called as its author likes."""

import ast
import json
from collections.abc import Iterator

import pytest
from cases import cases

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook


def test_a_level_that_sets_no_number_is_refused(tmp_path):
    notebook = ScenarioNotebook("data/tidy/replay-window", [], tmp_path / "replay_window")
    assert notebook.numbers("network", "jitter")["reordering"] == 20
    with pytest.raises(UserError, match="factor network: level 'normal' sets no single number"):
        notebook.number("network", "normal")


NO_TEXT = {"map", "max", "mean", "min", "number", "round", "sum"}
"""functions that return numbers"""
CUT = {"lstrip", "removeprefix", "removesuffix", "rstrip", "to_numeric"}


def convert(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("int", "float")


def computed(node: ast.AST) -> bool:
    """Whether an expression is a number, or several, by its form."""
    called = node.func.attr if isinstance(node, ast.Call) and hasattr(node.func, "attr") else ""
    numpy = ast.unparse(node).startswith("np.")
    return numpy or isinstance(node, ast.BinOp) or called in NO_TEXT


def reads_text(node: ast.AST) -> bool:
    """Whether a call makes a number of a text, or cuts off the begin or end of one."""
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
    for pattern in ("notebooks/*/*", "workflow/remeasure/paper/notebook/**/*.py"):
        for path in ROOT.glob(pattern):
            name = str(path.relative_to(ROOT))
            if path.suffix == ".py":
                yield name, path.read_text()
            elif path.suffix == ".ipynb":
                cells = json.loads(path.read_text())["cells"]
                code = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
                yield name, "\n".join(code)


def test_no_notebook_reads_a_number_out_of_a_name():
    known = cases(__file__, "read")
    found = {
        (name, ast.unparse(node))
        for name, source in sources()
        for node in ast.walk(ast.parse(source))
        if reads_text(node)
    }
    assert found <= {(name, one) for name, of in known.items() for one in of}
