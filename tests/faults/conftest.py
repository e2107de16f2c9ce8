"""The whole catalogue, and the table of what came out of it.

    env/run pytest tests/faults --whole-catalogue

runs faults that take long, too, and writes docs/faults.md: the section of each group (the name of
its file) of which every fault was tried and ended as the catalogue says. With `-k GROUP/` it is the
section of one group.
"""

import signal
import sys
from collections import Counter
from pathlib import Path

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


class Writer:
    """Collects outcomes in the process that hands tests out."""

    def __init__(self):
        self.outcomes: dict[tuple[str, str], str] = {}
        self.tried: Counter[str] = Counter()
        self.failed: set[str] = set()
        """groups of which a fault ended otherwise"""

    def pytest_runtest_logreport(self, report) -> None:
        _, is_fault, name = report.nodeid.partition("test_fault[")
        if is_fault and report.when == "setup":
            self.tried[name.partition("/")[0]] += 1
        if is_fault and report.failed:
            self.failed.add(name.partition("/")[0])
        if report.when == "call" and report.passed:
            for kind, value in report.user_properties:
                if kind == "fault":
                    group, name, outcome = value
                    self.outcomes[group, name] = outcome

    def pytest_sessionfinish(self, session, exitstatus) -> None:
        catalogue = groups()
        whole = {
            name
            for name, count in self.tried.items()
            if count == len(catalogue[name].faults) and name not in self.failed
        }
        kept = {key: outcome for key, outcome in self.outcomes.items() if key[0] in whole}
        if kept:
            PAGE.write_text(as_table(catalogue, kept, PAGE.read_text()))


def pytest_configure(config) -> None:
    if config.getoption("--whole-catalogue", False) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Writer())
