"""Rooms stand on one another: an import points to a lower room, never up."""

import ast
from pathlib import Path

import remeasure

PACKAGE = Path(remeasure.__file__).parent
BASE = "base"
"""modules that lie in no room; all rooms stand on them"""
ROOMS = [
    BASE,
    "testbed",
    "lab",
    "ipsec",
    "probes",
    "claims",
    "campaign",
    "windows",
    "measure",
    "tidy",
    "analysis",
    "studies",
    "publish",
    "cli",
]
"""from the ground up"""


def room_of(module: str) -> str:
    """'remeasure.lab.guest' -> 'lab'; 'remeasure.paths' -> 'base'."""
    first = module.split(".")[1:2]
    return first[0] if first and first[0] in ROOMS else BASE


def imports(path: Path):
    """Modules of this package that a file imports, wherever in the file it does."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("remeasure"):
            # `from remeasure import config` names a module, or a room, in its names.
            yield from (
                f"{node.module}.{name.name}" if node.module == "remeasure" else node.module
                for name in node.names
            )
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("remeasure"))


def test_every_folder_is_a_room():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == set(ROOMS) - {BASE, "cli"}


def test_no_import_points_up():
    up = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        if module == "remeasure.__main__":
            continue
        own = ROOMS.index(room_of(module))
        up += [
            f"{module} -> {other}" for other in imports(path) if ROOMS.index(room_of(other)) > own
        ]
    assert not up, "imports that point up: " + "; ".join(up)
