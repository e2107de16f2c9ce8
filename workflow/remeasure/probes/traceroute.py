"""The routers on a path, by traceroute(8)."""

import re
from collections.abc import Iterable
from typing import ClassVar

from pydantic import Field

from remeasure.probes.base import Bench, LogError, Probe, text_lines
from remeasure.probes.metrics import Metric, Metrics, Value
from remeasure.testbed.tools import Tool
from remeasure.topology import HostName

_HEAD = re.compile(r"traceroute to [\w.]+ \(([\d.]+)\), \d+ hops max, \d+ byte packets")
_HOP = re.compile(r" ?(\d+) ((?: +(?:\*|\d+\.\d+\.\d+\.\d+|[\d.]+ ms(?: !\w+)?))+)")
_TIME = re.compile(r"([\d.]+) ms")
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+")


class Traceroute(Probe):
    """One trace of a path: UDP datagrams with growing TTL, three for each hop."""

    kind: ClassVar = "traceroute"
    tools: ClassVar = {"traceroute": Tool(["traceroute", "--version"])}
    metrics: ClassVar = Metrics(
        hop_rtt=Metric("ms", "first answer of each hop (index: the hop)"),
        hops=Metric("hops", "hop at which the target answered; absent if it never did"),
    )

    source: HostName
    """host that looks for the path"""
    target: HostName
    """host at the end of the path"""
    max_hops: int = Field(8, ge=1, le=255)
    """longest path that is traced [hops]"""

    def seconds(self) -> float:
        return 3

    def measure(self, bench: Bench, stem: str) -> None:
        command = [
            "traceroute",
            "-n",
            "-w",
            "2",
            "-m",
            str(self.max_hops),
            bench.topology.address(self.target),
        ]
        bench.save(f"{stem}.log", bench.remotes[self.source].run(command, timeout=90))

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        lines = text_lines(file, content)
        head = _HEAD.fullmatch(lines[0])
        if not head:
            raise LogError(file, 1, lines[0], "the first line of traceroute")
        for number, line in enumerate(lines[1:], 2):
            hop = _HOP.fullmatch(line)
            if not hop:
                raise LogError(file, number, line, "a hop of traceroute")
            index = int(hop[1])
            if times := _TIME.findall(hop[2]):
                yield Value("hop_rtt", float(times[0]), number, index)
            if head[1] in _ADDRESS.findall(hop[2]):
                yield Value("hops", index, number)
                if number != len(lines):
                    raise LogError(file, number + 1, lines[number], "no hop behind the target")
        if len(lines) == 1:
            raise LogError(file, 1, lines[0], "at least one hop (is the file cut?)")
