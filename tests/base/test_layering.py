"""Packages are layers: an import points to a lower package, never up."""

import ast
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import remeasure

PACKAGE = Path(remeasure.__file__).parent
BASE = "base"
"""modules in no package; all packages may import them"""
LAYERS = [
    BASE,
    "testbed",
    "lab",
    "ipsec",
    "probes",
    "claims",
    "campaign",
    "measure",
    "windows",
    "bundle",
    "tidy",
    "analysis",
    "studies",
    "notebook",
    "publish",
    "graph",
    "rules_cli",
    "cli",
]
"""from the ground up"""
FOLDERS = {
    "testbed": ["", "treatments", "watching", "borrowing"],
    "analysis": ["", "limits", "models", "coverage", "verdicts"],
}
"""layer -> its folders, from the ground up; "" holds the modules in none of them"""


def layer_of(module: str) -> str:
    """'remeasure.lab.guest' -> 'lab'; 'remeasure.paths' -> 'base'."""
    first = module.split(".")[1:2]
    return first[0] if first and first[0] in LAYERS else BASE


def imports(path: Path):
    """What a file imports of this package, wherever in the file: modules, and names in them."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("remeasure"):
            # A name may be a module, too: `from remeasure import config`.
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("remeasure"))


def folder_of(module: str, layer: str) -> str:
    """'remeasure.analysis.limits.rate_limits' -> 'limits'; 'remeasure.analysis.estimates' -> ''."""
    parts = module.split(".")[2:]
    return parts[0] if parts and parts[0] in FOLDERS[layer] else ""


def modules_of(folder: Path):
    """Name and path of each module below a folder."""
    for path in sorted(folder.rglob("*.py")):
        yield ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts), path


def test_every_folder_is_a_layer():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == set(LAYERS) - {BASE, "rules_cli", "cli"}


def test_no_import_points_up():
    up = []
    for module, path in modules_of(PACKAGE):
        if module == "remeasure.__main__":
            continue
        own = LAYERS.index(layer_of(module))
        up += [
            f"{module} -> {other}" for other in imports(path) if LAYERS.index(layer_of(other)) > own
        ]
    assert not up, "imports that point up: " + "; ".join(up)


@pytest.mark.parametrize("layer", FOLDERS)
def test_no_import_points_up_within_a_layer(layer):
    assert {p.parent.name for p in (PACKAGE / layer).glob("*/__init__.py")} | {""} == {
        *FOLDERS[layer]
    }
    up = []
    for module, path in modules_of(PACKAGE / layer):
        own = FOLDERS[layer].index(folder_of(module, layer))
        up += [
            f"{module} -> {other}"
            for other in imports(path)
            if layer_of(other) == layer and FOLDERS[layer].index(folder_of(other, layer)) > own
        ]
    assert not up, "imports that point up: " + "; ".join(up)


def test_nothing_but_windows_imports_windows():
    """The folder could be a package of its own: measure finds it by an entry."""
    found = [
        f"{module} -> {other}"
        for module, path in modules_of(PACKAGE)
        for other in imports(path)
        if layer_of(other) == "windows" != layer_of(module)
    ]
    assert found == []


def test_imports_make_no_circle():
    modules = dict(modules_of(PACKAGE))
    needs = {m: {o for o in imports(path) if o in modules} - {m} for m, path in modules.items()}
    list(TopologicalSorter(needs).static_order())  # raises CycleError, which names the circle


def test_a_file_name_is_found_once():
    """Windows' files mirror the names of their Linux counterparts. Sources of guests name either
    guest.py, and a changed source makes the image of guests anew."""
    files = [p for p in PACKAGE.rglob("*.py") if PACKAGE / "windows" not in p.parents]
    names = Counter(p.name for p in files if p.name not in ("__init__.py", "guest.py"))
    assert [name for name, times in names.items() if times > 1] == []
