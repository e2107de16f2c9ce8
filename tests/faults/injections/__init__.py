"""Faults: one function per injection of the catalogue. Before a command, an injection gets the
ground; while guests are measured (`during`), it gets the moment (programs/saboteur.py). Its second
argument is its value in the catalogue."""

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

Injection = Callable[[Any, Any], None]
_KNOWN: dict[str, Injection] = {}


def injection(function: Injection) -> Injection:
    """Make a function known to the catalogue by its name, with - for _."""
    name = function.__name__.replace("_", "-")
    assert name not in _KNOWN, f"two injections named {name}"
    _KNOWN[name] = function
    return function


def inject(target: object, wanted: dict[str, object]) -> None:
    for name, argument in wanted.items():
        known()[name](target, argument)


def known() -> dict[str, Injection]:
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return _KNOWN
