"""Words and tables that are data, in a YAML file next to the module that uses them."""

from pathlib import Path
from typing import Any, cast

from remeasure.bench.base.files import read_yaml


def words_of(module: str, name: str = "") -> dict[str, Any]:
    """The document <name>.yaml next to a module's file, by default of the module's own name. Raises
    UserError."""
    path = Path(module)
    return cast(dict[str, Any], read_yaml(path.with_name(f"{name or path.stem}.yaml")))
