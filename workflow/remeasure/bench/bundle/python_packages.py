"""The Python packages that measuring needs, for each version of Python that a bundle may meet."""

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import distributions, packages_distributions
from pathlib import Path

from remeasure.bench.base.hashes import file_hash
from remeasure.bench.base.paths import ROOT
from remeasure.bench.bundle.host_commands import remove, run, strip_debug

SHARED = "python"
"""folder of packages that fit every version; `python-3.12` has what fits Python 3.12 alone"""
TESTED = ("3.11", "3.12", "3.13")
"""versions with which tests/bundle/bare has measured"""
OLDEST_LIBC = "2.28"
"""version of the C library that the packages ask for (env/bundle/packages)"""
_PACKAGE = Path(__file__).parents[2]
_FOLDERS = ("testbed", "lab", "ipsec", "probes", "claims", "campaign", "measure", "windows")
"""folders of this package whose code measures"""
_FILES = ("cli.py", "rules_cli.py")
_ANALYSIS = {"pandas"}
"""packages that modules of the ground layer import for the analysis alone"""
_LEFT_OUT = re.compile(
    r"^(bin|zstandard/_cffi.*|\.lock)$|(^|/)(tests?|__pycache__|sboms)$|\.(pyi|pxd|pyx|c|h|a)$"
)
"""files and folders of packages that nothing runs"""


def versions() -> tuple[str, ...]:
    """Versions of Python that a bundle has packages for: the tested ones, and the one that runs
    here and proves the bundle."""
    return tuple(dict.fromkeys((*TESTED, running())))


def running() -> str:
    """Version of this Python, such as 3.12."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def folders(tree: Path, version: str) -> tuple[Path, Path]:
    """Where the packages for a version of Python lie among the files of a bundle."""
    return tree / f"{SHARED}-{version}", tree / SHARED


def bring_packages(tree: Path) -> dict[str, dict[str, str]]:
    """Put all that measuring imports, and what it needs, into folders of `tree`. Returns version
    of Python -> package -> its version. Raises UserError."""
    names = sorted(imported())
    for version in versions():
        folder, _ = folders(tree, version)
        run([ROOT / "env" / "bundle" / "packages", version, folder, *names])
        for path in sorted(folder.rglob("*"), reverse=True):
            if _LEFT_OUT.search(path.relative_to(folder).as_posix()):
                remove(path)
    found = {version: _names(folders(tree, version)[0]) for version in versions()}
    _share([folders(tree, version)[0] for version in versions()], tree / SHARED)
    strip_debug([*tree.glob(f"{SHARED}*/**/*.so")])
    return found


def imported() -> set[str]:
    """Names of the packages of others that the code which measures imports."""
    files = [*_PACKAGE.glob("*.py"), *(_PACKAGE / "studies" / "wagner").glob("*_cli.py")]
    files += [path for folder in _FOLDERS for path in (_PACKAGE / folder).rglob("*.py")]
    known = packages_distributions()
    modules = {module for path in files for module in _modules(path)}
    others = modules - sys.stdlib_module_names - {_PACKAGE.name} - _ANALYSIS
    return {known.get(module, [module])[0] for module in others}


def _share(each: list[Path], shared: Path) -> None:
    """Move packages that are the same in each folder to `shared`."""
    shared.mkdir()
    for path in sorted(each[0].iterdir()):
        copies = [folder / path.name for folder in each]
        if len({_content(copy) for copy in copies}) == 1:
            path.rename(shared / path.name)
            for copy in copies[1:]:
                remove(copy)


def _content(path: Path) -> tuple[tuple[str, str], ...]:
    """Files and their hashes, of a file or of a folder."""
    files = sorted(one for one in (path, *path.rglob("*")) if one.is_file())
    return tuple((one.relative_to(path).as_posix(), file_hash(one)) for one in files)


def _names(folder: Path) -> dict[str, str]:
    found = {one.name: one.version for one in distributions(path=[str(folder)])}
    return dict(sorted(found.items()))


def _modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
