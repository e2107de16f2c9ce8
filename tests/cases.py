"""Cases of a test as data: in the file of YAML next to its module."""

from functools import cache
from pathlib import Path
from typing import Any

from remeasure.bench.base.files import read_yaml


def cases(module: str, name: str) -> Any:
    """The entry `name` of <module>.yaml. `module`: __file__ of the test."""
    return _read(Path(module).with_suffix(".yaml"))[name]


@cache
def _read(path: Path) -> Any:
    return read_yaml(path)
