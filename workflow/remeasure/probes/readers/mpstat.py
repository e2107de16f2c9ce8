"""How busy each processor of a host was, by mpstat (`-o JSON`).

A processor is busy whenever it is not idle. Finer kinds of time mean nothing in User Mode Linux,
which counts time of the kernel as time of users.
"""

import json
from collections.abc import Iterable

from remeasure.probes.base import LogError
from remeasure.probes.metrics import Metric, Metrics, Value
from remeasure.testbed.tools import Tool

TOOL = {"mpstat": Tool(["mpstat", "-V"])}
METRICS = Metrics(
    {
        "{host}_busy": Metric("%", "not idle, mean over the host's processors (index: second)"),
        "{host}_cpu{n}_busy": Metric("%", "one processor not idle, mean over seconds"),
    }
)

OUTPUT = "/run/mpstat.json"


def command(seconds: int) -> list[str]:
    """The command line of mpstat: one reading a second."""
    return ["mpstat", "-P", "ALL", "-o", "JSON", "1", str(seconds)]


def read(file: str, content: bytes, role: str) -> Iterable[Value]:
    """Yield METRICS of host `role`. The line of every value is the first one. Raises LogError."""
    try:
        (host,) = json.loads(content)["sysstat"]["hosts"]
        readings = [
            {load["cpu"]: 100 - load["idle"] for load in reading["cpu-load"]}
            for reading in host["statistics"]
        ]
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        line = getattr(error, "lineno", 1)
        raise LogError(file, line, str(error), "JSON of mpstat (is the file cut?)") from None
    except (KeyError, TypeError, ValueError) as error:
        raise LogError(file, 1, f"no {error}", "the JSON of mpstat, whole") from None
    if not readings:
        raise LogError(file, 1, "no reading", "one a second")
    for index, reading in enumerate(readings):
        yield Value(f"{role}_busy", reading["all"], 1, index)
    for cpu in readings[0]:
        if cpu != "all":
            mean = sum(reading[cpu] for reading in readings) / len(readings)
            yield Value(f"{role}_cpu{cpu}_busy", mean, 1)
