"""How busy each processor of a host was, by mpstat (`-o JSON`).

A processor is busy whenever it is not idle. Finer kinds of time mean nothing in User Mode Linux,
which counts time of the kernel as time of users. They are all shares of the same time, so with the
idle share they make 100 %; and the share of all processors together is between theirs.
"""

from collections.abc import Iterable
from typing import Any

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.metrics import Metric, Metrics, Value
from remeasure.bench.probes.readers import json_log
from remeasure.bench.probes.readers.printed import agree, ordered
from remeasure.bench.testbed.tools import Tool

TOOL = {"mpstat": Tool(["mpstat", "-V"], "sysstat")}
METRICS = Metrics(
    {
        "{host}_busy": Metric(
            "%", "not idle, mean over the host's processors (index: second)", "share"
        ),
        "{host}_cpu{n}_busy": Metric("%", "one processor not idle, mean over seconds", "share"),
    }
)

OUTPUT = "/run/mpstat.json"
_STEP = 0.01
"""unit of the last digit of a share [%]"""


def command(seconds: int) -> list[str]:
    """The command line of mpstat: one reading a second."""
    return ["mpstat", "-P", "ALL", "-o", "JSON", "1", str(seconds)]


def read(file: str, content: bytes, role: str) -> Iterable[Value]:
    """Yield METRICS of host `role`. The line of every value is the first one. Raises LogError."""
    try:
        (host,) = json_log.load(file, content, "mpstat")["sysstat"]["hosts"]  # type: ignore[index]
        names = ["all", *map(str, range(host["number-of-cpus"]))]
        readings = [
            _idle(file, index, names, reading["cpu-load"])
            for index, reading in enumerate(host["statistics"])
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise LogError(file, 1, f"no {error}", "the JSON of mpstat, whole") from None
    if not readings:
        raise LogError(file, 1, "no reading", "one a second")
    for index, reading in enumerate(readings):
        yield Value(f"{role}_busy", 100 - reading["all"], 1, index)
    for cpu in readings[0]:
        if cpu != "all":
            mean = sum(100 - reading[cpu] for reading in readings) / len(readings)
            yield Value(f"{role}_cpu{cpu}_busy", mean, 1)


def _idle(file: str, index: int, names: list[str], loads: list[dict[str, Any]]) -> dict[str, float]:
    """The idle share of each processor in one reading [%]. Raises LogError if its shares contradict
    each other."""
    found = [load["cpu"] for load in loads]
    if found != names:
        raise LogError(file, 1, f"reading {index}: {', '.join(map(str, found))}", ", ".join(names))
    for load in loads:
        shares = [share for kind, share in load.items() if kind != "cpu"]
        if min(shares) < 0 or not agree(sum(shares), 100, _STEP / 2 * len(shares)):
            name = f"reading {index}, {load['cpu']}: {sum(shares):.2f} % of all kinds of time"
            raise LogError(file, 1, name, "shares from 0, 100 % together")
    idle = {load["cpu"]: load["idle"] for load in loads}
    each = [idle[name] for name in names[1:]]
    if not ordered(min(each), idle["all"], max(each), within=_STEP):
        name = f"reading {index}: all {idle['all']} % idle"
        raise LogError(file, 1, name, f"{min(each)} to {max(each)}, the processors'")
    return idle
