"""Each package that our code imports is a dependency, and each dependency is imported: in
pyproject, its groups, the lock and the form for conda."""

import ast
import json
import re
import runpy
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

from remeasure.bench.base.paths import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
GROUPS = PYPROJECT["dependency-groups"]
BUILD = [
    *ROOT.glob("workflow/remeasure/**/*.py"),
    *ROOT.glob("workflow/**/*.smk"),
    ROOT / "Snakefile",
    *ROOT.glob("notebooks/*/*.ipynb"),
    *ROOT.glob("notebooks/*/*.py"),
    *ROOT.glob("site/*.py"),
    *ROOT.glob("env/benchmarks/*.py"),
]
TESTS = [*ROOT.glob("tests/**/*.py")]
NOT_IMPORTED = {
    "ipykernel": "the kernel of notebooks",
    "jupyterlab": "notebooks are edited in it",
    "myst-nb": "extension of the site (site/conf.py)",
    "pydata-sphinx-theme": "theme of the site (site/conf.py)",
    "sphinx-design": "extension of the site (site/conf.py)",
}
"""dependency that nothing imports -> its purpose"""
BESIDE_TESTS = {"mutmut": "env/mutation runs it"}
"""dependency of tests that no test imports -> its purpose"""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def names(dependencies: list[str]) -> set[str]:
    return {canonical(re.split(r"[<>=~! ]", dependency)[0]) for dependency in dependencies}


def sources(path: Path) -> Iterator[str]:
    """Python of a file. Of a rule file only its lines of imports, since the rest is not Python."""
    text = path.read_text()
    if path.suffix == ".ipynb":
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "code":
                yield re.sub(r"^%.*", "", "".join(cell["source"]), flags=re.MULTILINE)
    elif path.suffix == ".py":
        yield text
    else:
        yield "\n".join(re.findall(r"^(?:from [\w.]+ )?import \w.*", text, flags=re.MULTILINE))
        yield "\n".join(
            re.findall(r"^from [\w.]+ import \(.*?^\)", text, flags=re.MULTILINE | re.DOTALL)
        )


def modules(path: Path) -> set[str]:
    """Modules that a file imports, by the name before the first dot."""
    found = set()
    for node in (n for source in sources(path) for n in ast.walk(ast.parse(source))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
    return found


def imported(paths: list[Path]) -> set[str]:
    """Packages of others that these files import."""
    own = {path.stem for path in (*ROOT.glob("tests/**/*.py"), *ROOT.glob("env/benchmarks/*.py"))}
    own |= {path.parent.name for path in ROOT.glob("tests/**/__init__.py")}
    own |= {"remeasure", "notebooks"}
    found = {module for path in paths for module in modules(path)}
    packages = packages_distributions()
    others = found - own - sys.stdlib_module_names
    return {canonical(packages.get(module, [module])[0]) for module in others}


@pytest.fixture(scope="module")
def of_build() -> set[str]:
    return imported(BUILD)


def test_a_build_imports_what_it_depends_on_and_nothing_else(of_build):
    dependencies = names(PYPROJECT["project"]["dependencies"])
    assert of_build - dependencies == set()
    assert dependencies - of_build == NOT_IMPORTED.keys()
    assert names(GROUPS["test"]) - BESIDE_TESTS.keys() == imported(TESTS) - dependencies


def test_locks_and_hooks_have_every_dependency():
    lock = (ROOT / "env/requirements.lock").read_text()
    wanted = [*PYPROJECT["project"]["dependencies"], *GROUPS["test"], *GROUPS["lint"]]
    assert names(wanted) - set(re.findall(r"^([a-z0-9-]+)==", lock, flags=re.MULTILINE)) == set()
    # For a cluster: only the group. The lock of the environment has all else.
    cluster = (ROOT / "env/slurm.lock").read_text()
    assert re.findall(r"^([a-z0-9-]+==\S+)", cluster, flags=re.MULTILINE) == GROUPS["slurm"]
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    for repository in hooks:
        package = repository["repo"].rsplit("/", 1)[1].removesuffix("-pre-commit")
        assert f"\n{package}=={repository['rev'].removeprefix('v')} " in lock, package


def test_the_conda_form_is_current_and_has_every_import_of_a_build(of_build):
    written = runpy.run_path(str(ROOT / "env/conda.py"))["document"]()
    text = (ROOT / "environment.yml").read_text()
    assert text == written, "run: env/run python env/conda.py >environment.yml"
    assert of_build - names(yaml.safe_load(text)["dependencies"]) == set()
