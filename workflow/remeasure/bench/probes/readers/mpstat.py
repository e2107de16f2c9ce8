"""The load of each processor of a host, by mpstat (`-o JSON`). A processor is busy whenever it is
not idle. Finer kinds of time mean nothing in User Mode Linux, which counts time of the kernel as
time of users."""

from collections.abc import Iterable

from remeasure.bench.probes.base import json_in
from remeasure.bench.probes.metrics import Value, declare
from remeasure.bench.testbed.tools import Tool

TOOL = {"mpstat": Tool(["mpstat", "-V"], "sysstat")}
METRICS = declare(
    {
        "{host}_busy: share [%]": "not idle, mean over the host's processors (index: second)",
        "{host}_cpu{n}_busy: share [%]": "one processor not idle, mean over seconds",
    }
)
OUTPUT = "/run/mpstat.json"


def command(seconds: int) -> list[str]:
    """The command line of mpstat: one reading per second."""
    return ["mpstat", "-P", "ALL", "-o", "JSON", "1", str(seconds)]


def read(file: str, content: bytes, role: str) -> Iterable[Value]:
    """Yield METRICS of host `role`. The line of every value is the first one. Raises LogError, and
    errors that `Probe.parse` turns into LogError."""
    (host,) = json_in(file, content, "mpstat")["sysstat"]["hosts"]  # type: ignore[index]
    readings = [
        {load["cpu"]: 100 - load["idle"] for load in reading["cpu-load"]}
        for reading in host["statistics"]
    ]
    for index, busy in enumerate(reading["all"] for reading in readings):
        yield Value(f"{role}_busy", busy, 1, index)
    for cpu in range(host["number-of-cpus"]):
        mean = sum(reading[str(cpu)] for reading in readings) / len(readings)
        yield Value(f"{role}_cpu{cpu}_busy", mean, 1)
