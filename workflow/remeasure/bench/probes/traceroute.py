"""The routers on a path, by traceroute(8)."""

import re
from collections.abc import Iterable
from typing import ClassVar

from pydantic import Field

from remeasure.bench.base.topology import HostName
from remeasure.bench.probes.base import Bench, LogError, Probe, match_line, text_lines
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.testbed.tools import Tool

_HEAD = re.compile(
    r"traceroute to [0-9A-Za-z_.:-]+ \(([0-9a-f.:]+)\), ([0-9]+) hops max, [0-9]+ byte packets"
)
_ADDRESS = r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}|[0-9a-f]{0,4}:[0-9a-f:]+"
_TIME = r"[0-9]+\.[0-9]{3} ms"
_HOP = re.compile(rf" ?([0-9]+) ((?: +(?:\*|{_ADDRESS}|{_TIME}(?: !\w+)?))+)", re.ASCII)
_PARTS = re.compile(
    rf"(?P<none>\*)|(?P<address>{_ADDRESS})|(?P<ms>[0-9]+\.[0-9]{{3}}) ms( !\w+)?", re.ASCII
)
_QUESTIONS = 3
"""datagrams for each hop"""
_WAIT_S = 2
"""longest time that a datagram waits for its answer [s]"""


class Traceroute(Probe):
    """One trace of a path: UDP datagrams with growing TTL, three for each hop."""

    kind: ClassVar = "traceroute"
    takes_ipv6: ClassVar = True
    tools: ClassVar = {"traceroute": Tool(["traceroute", "--version"], "traceroute")}
    meanings: ClassVar = MEANINGS["traceroute"]

    source: HostName
    """host that looks for the path"""
    target: HostName
    """host at the end of the path"""
    max_hops: int = Field(8, ge=1, le=255)
    """longest path that is traced [hops]"""

    def seconds(self) -> float:
        return 3

    def measure(self, bench: Bench, stem: str) -> None:
        # One datagram at a time. Several would be under way when the target answers, and arrive
        # while the next probe is measured.
        address = bench.topology.address(self.target)
        command = f"traceroute -n -N 1 -w {_WAIT_S} -m {self.max_hops} {address}".split()
        limit = _QUESTIONS * _WAIT_S * self.max_hops + 30
        bench.save(f"{stem}.log", bench.remotes[self.source].run(command, timeout=limit))

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        lines = text_lines(file, content)
        head = match_line(_HEAD, file, 1, lines[0], "the first line of traceroute")
        index, ended = 0, False
        for number, line in enumerate(lines[1:], 2):
            hop = match_line(_HOP, file, number, line, "a hop of traceroute")
            index = int(hop[1])
            answers = list(_PARTS.finditer(hop[2]))
            if first := next((answer for answer in answers if answer["ms"]), None):
                yield Value("hop_rtt", float(first["ms"]), number, index)
            reached = any(answer["address"] == head[1] for answer in answers)
            if reached:
                yield Value("hops", index, number)
            # A host that refuses to pass packets on ends the path as well.
            ended = reached or any(answer[4] for answer in answers)
        if not ended and index < int(head[2]):
            expected = f"{head[1]} or hop {head[2]} at the end (is the file cut?)"
            raise LogError(file, len(lines), lines[-1], expected)
