"""The Python packages that measuring needs, as they are installed in this environment."""

import ast
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import (
    Distribution,
    PackageNotFoundError,
    distribution,
    packages_distributions,
)
from pathlib import Path

from remeasure.bundle.host_commands import strip_debug
from remeasure.errors import UserError

_PACKAGE = Path(__file__).parents[1]
_FOLDERS = ("testbed", "lab", "ipsec", "probes", "claims", "campaign", "measure", "windows")
"""folders of this package whose code measures"""
_FILES = ("cli.py", "rules_cli.py")
_ANALYSIS = {"pandas"}
"""packages that modules of the ground layer import for the analysis alone"""
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)[^;]*(;.*)?")
_LEFT_OUT = re.compile(r"(^|/)(tests?|__pycache__)/|^zstandard/_cffi|\.(pyi|pxd|pyx|h|a)$|^\.\./")
"""files of packages that nothing runs"""


def copy_packages(folder: Path) -> dict[str, str]:
    """Copy all that measuring imports, and what it needs, to `folder`. Returns name -> version.
    Raises UserError if something is not installed."""
    found = with_needed(imported())
    for package in found.values():
        for file in package.files or []:
            if not _LEFT_OUT.search(str(file)):
                target = folder / str(file)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(file.locate()), target)
    strip_debug([*folder.rglob("*.so")])
    return {name: package.version for name, package in sorted(found.items())}


def imported() -> set[str]:
    """Names of the packages of others that the code which measures imports."""
    files = [*_PACKAGE.glob("*.py"), *(_PACKAGE / "studies" / "wagner").glob("*_cli.py")]
    files += [path for folder in _FOLDERS for path in (_PACKAGE / folder).rglob("*.py")]
    known = packages_distributions()
    modules = {module for path in files for module in _modules(path)}
    others = modules - sys.stdlib_module_names - {_PACKAGE.name} - _ANALYSIS
    return {known.get(module, [module])[0] for module in others}


def with_needed(names: Iterable[str]) -> dict[str, Distribution]:
    """These packages and all that they need, by name. Raises UserError."""
    waiting, found = [*names], dict[str, Distribution]()
    while waiting:
        name = _canonical(waiting.pop())
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            raise UserError(f"bundle: Python package {name} is not in this environment") from None
        waiting += _needed_by(found[name])
    return found


def _needed_by(package: Distribution) -> Iterator[str]:
    """What a package asks for without extras, and is installed: markers leave out the rest."""
    for line in package.requires or []:
        match = _REQUIREMENT.match(line)
        if match and "extra" not in (match[2] or ""):
            try:
                distribution(match[1])
            except PackageNotFoundError:
                continue
            yield match[1]


def _modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
