"""The whole catalogue, and the table of what came out of it.

    env/run pytest tests/faults --whole-catalogue

runs faults that take long, too, and writes docs/faults.md.
"""

import signal
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # each process that runs tests imports the modules beside this one

from catalogue import groups  # noqa: E402
from table import as_table  # noqa: E402

# A shell that runs this in the background makes it, and what it starts, deaf to some signals.
for number in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

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
        self.tried = 0

    def pytest_runtest_logreport(self, report) -> None:
        self.tried += report.when == "setup" and "test_fault[" in report.nodeid
        if report.when == "call" and report.passed:
            for kind, value in report.user_properties:
                if kind == "fault":
                    group, name, outcome = value
                    self.outcomes[group, name] = outcome

    def pytest_sessionfinish(self, session, exitstatus) -> None:
        catalogue = groups()
        if exitstatus == 0 and self.tried == sum(len(one.faults) for one in catalogue.values()):
            PAGE.write_text(as_table(catalogue, self.outcomes))


def pytest_configure(config) -> None:
    if config.getoption("--whole-catalogue", False) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Writer())
