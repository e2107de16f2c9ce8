"""Whether a log belongs to the run that it is said to be of: tools print the address and the
settings that they were given, and when they worked. Without this a log of another pair of hosts, of
another trial, or of other settings would be read as if it were the run's own."""

import re
from typing import NamedTuple

from remeasure.bench.base.topology import Topology
from remeasure.bench.probes.base import LogError, Probe

_TOLERANCE_S = 2.0
"""how much more than is known the clock of a host may differ from the record's clock [s]"""


class Window(NamedTuple):
    """When something was measured."""

    start_ns: int
    end_ns: int
    clock_off_s: float = 0.0
    """how much clocks of hosts differed from the clock of the record, at most [s]"""


def require_own(
    probe: Probe, file: str, content: bytes, topology: Topology, window: Window | None
) -> None:
    """Check that a log is of the hosts that `probe` names, has the settings of `probe`, and is
    within `window`; None: any time. Raises LogError naming the first line that is not."""
    text = content.decode(errors="replace")
    if probe.address_in_log:
        field, pattern = probe.address_in_log
        host = getattr(probe, field)
        address = topology.address(host)
        for match in re.finditer(pattern, text, re.MULTILINE):
            if match[1] != address:
                expected = f"{address}, the address of {host}"
                raise LogError(file, _line(text, match), match[1], expected)
    for pattern, planned in probe.settings_in_log(file).items():
        for match in re.finditer(pattern, text, re.MULTILINE):
            if match[1] != str(planned):
                raise LogError(file, _line(text, match), match[0], f"{planned}, as planned")
    if probe.time_in_log and window:
        off = _TOLERANCE_S + window.clock_off_s
        first, last = window.start_ns / 1e9 - off, window.end_ns / 1e9 + off
        for match in re.finditer(probe.time_in_log, text, re.MULTILINE):
            if not first <= float(match[1]) <= last:
                expected = f"a time from {first:.0f} to {last:.0f}, when the run was (trial.json)"
                raise LogError(file, _line(text, match), match[1], expected)


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start(1)) + 1
