"""Few functions are longer than what one reads at once, and each of those has a reason."""

import ast

from remeasure.bench.base.paths import ROOT

MOST = 40
"""lines"""
LONGER = {
    "run_loads._load": "every field of a record, each with its rule",
    "answers.answer": "its docstring has every column of the table",
}
"""module and function -> why it is longer"""


def test_functions_are_short():
    long = set()
    folders = "remeasure", "windows/remeasure_windows"
    for path in (path for name in folders for path in (ROOT / "workflow" / name).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                long |= {f"{path.stem}.{node.name}"} if lines > MOST else set()
    assert sorted(long) == sorted(LONGER)
