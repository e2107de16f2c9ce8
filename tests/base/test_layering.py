"""Packages are layers: an import points to a lower package, never up. Functions and start-up are
short."""

import ast
import re
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import remeasure
from remeasure.bench.base.paths import ROOT

PACKAGE = Path(remeasure.__file__).parent
LAYERS = [
    "bench.base",
    "bench.testbed",
    "bench.lab",
    "bench.ipsec",
    "bench.probes",
    "bench.claims",
    "bench.campaign",
    "bench.measure",
    "bench.tryout",
    "paper.digits",
    "paper.words",
    "paper.publication",
    "paper.tidy",
    "paper.analysis",
    "paper.notebook",
    "paper.publish",
    "graph",
    "rules_cli",
    "try_cli",
    "cli",
]
"""from the ground up; nothing in `bench` imports `paper`"""
FOLDERS = {
    "bench.testbed": ["", "treatments", "watching", "borrowing"],
    "paper.analysis": ["", "limits", "models", "verdicts"],
}
"""layer -> its folders, from the ground up; "" has the modules in none of them"""
MOST_LINES = 40


def layer_of(module: str) -> str:
    """'remeasure.bench.lab.guest' -> 'bench.lab'; 'remeasure.cli' -> 'cli'."""
    parts = module.split(".")[1:]
    return ".".join(parts[:2] if parts[:1] in (["bench"], ["paper"]) else parts[:1])


def imports(path: Path):
    """A file's imports of this package, wherever in the file: modules, and names in them."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("remeasure"):
            # A name may be a module, too: `from remeasure.bench.base import config`.
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("remeasure"))


def folder_of(module: str, layer: str) -> str:
    """'remeasure.paper.analysis.limits.rate_limits' -> 'limits'; `analysis.estimates` -> ''."""
    parts = module.split(".")[3:]
    return parts[0] if parts and parts[0] in FOLDERS[layer] else ""


def modules_of(folder: Path):
    """Name and path of each module below a folder."""
    for path in sorted(folder.rglob("*.py")):
        yield ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts), path


def test_every_folder_is_a_layer():
    folders = {layer_of(module) for module, _ in modules_of(PACKAGE)}
    assert folders - {"", "__init__", "__main__", "bench.__init__", "paper.__init__"} == set(LAYERS)


def test_no_import_points_up():
    up = []
    for module, path in modules_of(PACKAGE):
        if path.stem in ("__main__", "__init__"):
            continue
        own = LAYERS.index(layer_of(module))
        needed = {layer_of(other) for other in imports(path)} & set(LAYERS)
        up += [f"{module} -> {other}" for other in needed if LAYERS.index(other) > own]
    assert not up, "imports that point up: " + "; ".join(up)


@pytest.mark.parametrize("layer", FOLDERS)
def test_no_import_points_up_within_a_layer(layer):
    folder, up = PACKAGE / layer.replace(".", "/"), []
    assert {"", *(path.parent.name for path in folder.glob("*/__init__.py"))} == {*FOLDERS[layer]}
    for module, path in modules_of(folder):
        own = FOLDERS[layer].index(folder_of(module, layer))
        up += [
            f"{module} -> {other}"
            for other in imports(path)
            if layer_of(other) == layer and FOLDERS[layer].index(folder_of(other, layer)) > own
        ]
    assert not up, "imports that point up: " + "; ".join(up)


def test_notebooks_import_nothing_that_reads_them():
    """Except for headlines, which a campaign's plan and the comparison of two campaigns share."""
    modules = (ROOT / "notebooks").glob("*/*.py")
    found = {other for path in modules for other in imports(path) if ".publish." in f"{other}."}
    assert {
        one for one in found if not one.startswith("remeasure.paper.publish.planning.")
    } == set()


def test_functions_are_short():
    long = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= MOST_LINES:
                long.add(f"{path.stem}.{node.name}")
    assert long == set()


def test_what_every_start_of_snakemake_imports_takes_no_seconds():
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    modules = sorted(set(re.findall(r"^from (remeasure[\w.]*)", rules, flags=re.MULTILINE)))
    script = [sys.executable, "-c", f"import sys, {', '.join(modules)}; print(*sys.modules)"]
    imported = subprocess.run(script, capture_output=True, text=True, check=True).stdout.split()
    heavy = {"altair", "cryptography", "fabric", "pandas", "pyarrow", "scipy", "statsmodels"}
    assert heavy.isdisjoint(imported)


def test_imports_make_no_circle():
    modules = dict(modules_of(PACKAGE))
    needs = {m: {o for o in imports(path) if o in modules} - {m} for m, path in modules.items()}
    list(TopologicalSorter(needs).static_order())  # raises CycleError, which shows the circle


def test_a_file_name_is_found_once():
    """Sources of guests name either guest.py, and a changed source makes the image of guests
    again."""
    names = Counter(
        p.name for p in PACKAGE.rglob("*.py") if p.name not in ("__init__.py", "guest.py")
    )
    assert [name for name, times in names.items() if times > 1] == []


def test_a_class_or_type_name_is_found_once():
    """A reader who meets a name needs no import line to know it. Types begin with a capital, and
    are no constants."""
    trees = (
        ast.parse(path.read_text())
        for of in (PACKAGE, ROOT / "notebooks")
        for path in of.rglob("*.py")
    )
    nodes = [node for tree in trees for node in tree.body]
    names = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    names += [
        one.id
        for node in nodes
        if isinstance(node, ast.Assign)
        for one in node.targets
        if isinstance(one, ast.Name) and one.id[0].isupper() and not one.id.isupper()
    ]
    assert [name for name, times in Counter(names).items() if times > 1] == []
