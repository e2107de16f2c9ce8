"""A probe to copy: the load of a host, from /proc/loadavg. Copy this file to `probes/<tool>.py`,
and rename the class and `kind`. Run the tool in `measure`, and read its log in `read`.
CONTRIBUTING.md lists further needs of a new probe. This probe is in no scenario."""

import re
from collections.abc import Iterable
from typing import ClassVar

from pydantic import Field

from remeasure.bench.base.topology import HostName
from remeasure.bench.probes.base import Bench, LogError, Probe, text_lines
from remeasure.bench.probes.metrics import Value, declare
from remeasure.bench.testbed.tools import Tool

_SHARE = r"[0-9]+\.[0-9][0-9]"
_LINE = re.compile(rf"({_SHARE}) ({_SHARE}) {_SHARE} [0-9]+/[0-9]+ [0-9]+")
"""every line that the tool can print; a line of another form is an error, never skipped"""


class Template(Probe):
    """The load of a host, read `count` times, at intervals of a second."""

    kind: ClassVar = "template"
    # Programs that the hosts need, and how they print their version: env/guest/packages.txt has the
    # packages.
    tools: ClassVar = {"sh": Tool(["sh", "-c", "echo sh"], "dash")}
    # All metrics of a log, in the form of `declare`. A unit decides the range of possible values.
    metrics: ClassVar = declare(
        {"load: count [1]": "runnable tasks, mean of the last minute (index: the reading)"}
    )

    # Fields of a scenario file. A field with the name of a host is a HostName.
    host: HostName
    """host whose load is read"""
    count: int = Field(3, ge=1, le=60)
    """number of readings [1]"""

    def seconds(self) -> float:
        return self.count

    def measure(self, bench: Bench, stem: str) -> None:
        reading = f"for _ in $(seq {self.count}); do cat /proc/loadavg; sleep 1; done"
        log = bench.remotes[self.host].run(["sh", "-c", reading], timeout=self.count + 30)
        bench.save(f"{stem}.log", log)

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        for number, line in enumerate(text_lines(file, content), 1):
            found = _LINE.fullmatch(line)
            if not found:
                raise LogError(file, number, line, "a line of /proc/loadavg")
            yield Value("load", float(found[1]), number, number)
