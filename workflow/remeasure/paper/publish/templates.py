"""Jinja templates next to the modules that fill them."""

import html
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined


def macros(module: str, **names: object) -> Any:
    """The macros of the template next to a module's file, <module>.html.j2, as functions that
    return text. `names`: values and functions that the template uses; its filter `e` escapes HTML.
    Indentation and ends of lines of the template are for its readers, and are left out."""
    environment = Environment(undefined=StrictUndefined)
    environment.filters["e"] = html.escape
    environment.globals.update(names)
    text = Path(module).with_suffix(".html.j2").read_text()
    return environment.from_string("".join(map(str.strip, text.splitlines()))).module
