"""The whole catalogue, and the table of what came out of it.

    env/run pytest tests/faults --whole-catalogue

runs faults that take long, too, and writes docs/faults.md.
"""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # each process that runs tests imports the modules beside this one

from catalogue import groups  # noqa: E402
from table import as_table  # noqa: E402

PAGE = HERE.parents[1] / "docs/faults.md"


def pytest_collection_modifyitems(config, items) -> None:
    if not config.getoption("--whole-catalogue"):
        skip = pytest.mark.skip(reason="takes long: --whole-catalogue")
        for item in items:
            if "whole" in item.keywords:
                item.add_marker(skip)


class Writer:
    """Collects outcomes in the process that hands tests out."""

    def __init__(self):
        self.outcomes: dict[tuple[str, str], str] = {}

    def pytest_runtest_logreport(self, report) -> None:
        if report.when == "call" and report.passed:
            for kind, value in report.user_properties:
                if kind == "fault":
                    group, name, outcome = value
                    self.outcomes[group, name] = outcome

    def pytest_sessionfinish(self, session, exitstatus) -> None:
        if exitstatus == 0:
            PAGE.write_text(as_table(groups(), self.outcomes))


def pytest_configure(config) -> None:
    if config.getoption("--whole-catalogue", False) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Writer())
