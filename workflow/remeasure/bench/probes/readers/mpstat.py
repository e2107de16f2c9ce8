"""How busy each processor of a host was, by mpstat (`-o JSON`).

A processor is busy whenever it is not idle. Finer kinds of time mean nothing in User Mode Linux,
which counts time of the kernel as time of users.
"""

from collections.abc import Iterable

from remeasure.bench.probes.base import LogError, json_in
from remeasure.bench.probes.metrics import Metric, Metrics, Value
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


def command(seconds: int) -> list[str]:
    """The command line of mpstat: one reading a second."""
    return ["mpstat", "-P", "ALL", "-o", "JSON", "1", str(seconds)]


def read(file: str, content: bytes, role: str) -> Iterable[Value]:
    """Yield METRICS of host `role`. The line of every value is the first one. Raises LogError."""
    try:
        (host,) = json_in(file, content, "mpstat")["sysstat"]["hosts"]  # type: ignore[index]
        cpus = [str(number) for number in range(host["number-of-cpus"])]
        readings = [
            {load["cpu"]: 100 - load["idle"] for load in reading["cpu-load"]}
            for reading in host["statistics"]
        ]
        every = [reading["all"] for reading in readings]
        means = {cpu: sum(one[cpu] for one in readings) / len(readings) for cpu in cpus}
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise LogError(file, 1, f"no {error}", "the JSON of mpstat, whole") from None
    for index, busy in enumerate(every):
        yield Value(f"{role}_busy", busy, 1, index)
    for cpu, mean in means.items():
        yield Value(f"{role}_cpu{cpu}_busy", mean, 1)
