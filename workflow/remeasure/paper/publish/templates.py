"""Jinja templates next to the modules that fill them."""

import html
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined


def macros(module: str, kind: str = "html", **names: object) -> Any:
    """The macros of the template next to a module's file, <module>.<kind>.j2, as functions that
    return text. `names`: values and functions that the template uses; its filter `e` escapes HTML.
    In HTML, indentation and ends of lines of the template are for its readers, and are left out.
    Another kind keeps them, without lines that have only a tag."""
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["e"] = html.escape
    environment.globals.update(names)
    text = Path(module).with_suffix(f".{kind}.j2").read_text()
    if kind == "html":
        text = "".join(map(str.strip, text.splitlines()))
    return environment.from_string(text).module
