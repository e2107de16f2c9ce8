"""Whether a log belongs to the run that it is said to be of: tools print the address and the
settings that they were given."""

import re

from remeasure.bench.base.topology import Topology
from remeasure.bench.probes.base import LogError, Probe


def require_own(probe: Probe, file: str, content: bytes, topology: Topology) -> None:
    """Check that a log has the hosts and the settings of `probe`. Raises LogError naming the first
    line that has not."""
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


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start(1)) + 1
