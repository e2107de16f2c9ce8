"""Write environment.yml, the conda form of the requirements of building and measuring:

    env/run python env/conda.py >environment.yml

Packages are the dependencies of pyproject.toml, in the versions of env/requirements.lock.
"""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
PYTHON = "3.11"
"""The lock has several versions of a package if newer ones need a newer Python. Conda is given one
Python, and the versions for it."""
CONDA_NAMES = {"typing-extensions": "typing_extensions"}
"""package -> its name in conda, where the two differ"""
HEADER = """\
# Written from pyproject.toml and env/requirements.lock by: env/run python env/conda.py
# For those who have conda already; env/run needs none of it. The paper also needs LaTeX, and
# measuring needs tools of the system: env/debian-packages.txt lists both.
# conda env create -f environment.yml
# conda activate ipsec-remeasured && pip install --no-deps -e . && snakemake --cores 4
name: ipsec-remeasured
channels: [conda-forge, bioconda]
dependencies:
"""


def pinned() -> dict[str, str]:
    """Dependency -> its version in the lock."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lock = (ROOT / "env/requirements.lock").read_text()
    python = {"python_version": PYTHON, "python_full_version": f"{PYTHON}.99"}
    versions = {}
    for line in re.findall(r"^([a-z0-9].*?) *\\?$", lock, flags=re.MULTILINE):
        entry = Requirement(line)
        if not entry.marker or entry.marker.evaluate(python):
            versions[entry.name] = str(entry.specifier).removeprefix("==")
    names = [Requirement(dependency).name for dependency in project["dependencies"]]
    return {name: versions[name] for name in names}


def document() -> str:
    """The text of environment.yml."""
    packages = [f"{CONDA_NAMES.get(name, name)}={version}" for name, version in pinned().items()]
    return HEADER + "".join(f"  - {entry}\n" for entry in [f"python={PYTHON}", *packages, "pip"])


if __name__ == "__main__":
    print(document(), end="")
