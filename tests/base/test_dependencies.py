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
    *ROOT.glob("workflow/windows/remeasure_windows/*.py"),
    *ROOT.glob("workflow/**/*.smk"),
    ROOT / "Snakefile",
    *ROOT.glob("notebooks/*/*.ipynb"),
    *ROOT.glob("notebooks/*/*.py"),
    *ROOT.glob("site/*.py"),
    *ROOT.glob("env/benchmarks/*.py"),
]
TESTS = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("workflow/windows/tests/*.py")]
NOT_IMPORTED = {
    "ipykernel": "the kernel of notebooks",
    "jupyterlab": "notebooks are edited in it",
    "myst-nb": "extension of the site (site/conf.py)",
    "pydata-sphinx-theme": "theme of the site (site/conf.py)",
    "sphinx-design": "extension of the site (site/conf.py)",
}
"""dependency that nothing imports -> what it is for"""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def names(dependencies: list[str]) -> set[str]:
    return {canonical(re.split(r"[<>=~! ]", dependency)[0]) for dependency in dependencies}


def sources(path: Path) -> Iterator[str]:
    """Python of a file. Of a rule file its lines of imports, since the rest is not Python alone."""
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
    own |= {path.stem for path in ROOT.glob("workflow/windows/**/*.py")}
    own |= {path.parent.name for path in ROOT.glob("tests/**/__init__.py")}
    own |= {"remeasure", "remeasure_windows", "notebooks"}
    found = {module for path in paths for module in modules(path)}
    packages = packages_distributions()
    others = found - own - sys.stdlib_module_names
    return {canonical(packages.get(module, [module])[0]) for module in others}


@pytest.fixture(scope="module")
def of_build() -> set[str]:
    return imported(BUILD)


def test_every_import_of_a_build_is_a_dependency(of_build):
    assert of_build - names(PYPROJECT["project"]["dependencies"]) == set()


def test_every_dependency_of_a_build_is_imported_or_has_its_reason(of_build):
    assert names(PYPROJECT["project"]["dependencies"]) - of_build == NOT_IMPORTED.keys()


def test_the_group_of_tests_has_what_tests_alone_import(of_build):
    alone = imported(TESTS) - names(PYPROJECT["project"]["dependencies"])
    assert names(GROUPS["test"]) == alone


def test_the_lock_has_every_dependency():
    lock = (ROOT / "env/requirements.lock").read_text()
    wanted = [*PYPROJECT["project"]["dependencies"], *GROUPS["test"], *GROUPS["lint"]]
    assert names(wanted) - set(re.findall(r"^([a-z0-9-]+)==", lock, flags=re.MULTILINE)) == set()


def test_the_lock_for_a_cluster_has_its_group_alone():
    """In the versions that it names; all else that they need is in the lock of the environment."""
    lock = (ROOT / "env/slurm.lock").read_text()
    assert re.findall(r"^([a-z0-9-]+==\S+)", lock, flags=re.MULTILINE) == GROUPS["slurm"]


def test_the_conda_form_is_current():
    written = runpy.run_path(str(ROOT / "env/conda.py"))["document"]()
    text = (ROOT / "environment.yml").read_text()
    assert text == written, "run: env/run python env/conda.py >environment.yml"


def test_conda_has_every_import_of_a_build(of_build):
    document = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert of_build - names(document["dependencies"]) == set()


def test_pre_commit_has_the_versions_of_the_lock():
    lock = (ROOT / "env/requirements.lock").read_text()
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    for repository in hooks:
        package = repository["repo"].rsplit("/", 1)[1].removesuffix("-pre-commit")
        assert f"\n{package}=={repository['rev'].removeprefix('v')} " in lock, package
