"""How busy each processor of a host was, by mpstat (`-o JSON`).

Busy is what is not idle: User Mode Linux books time of the kernel as that of users, so finer kinds
mean nothing there.
"""

import json
from collections.abc import Iterable

from remeasure.probes.base import LogError, Observation

OUTPUT = "/run/mpstat.json"


def command(seconds: int) -> list[str]:
    """One reading a second."""
    return ["mpstat", "-P", "ALL", "-o", "JSON", "1", str(seconds)]


def parse(file: str, content: bytes, role: str) -> Iterable[Observation]:
    """<role>_busy (%, mean over processors; index: second) and <role>_cpu<n>_busy (%, mean over
    seconds). The line is the first. Raises LogError."""
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
        yield Observation(f"{role}_busy", reading["all"], "%", 1, index)
    for cpu in readings[0]:
        if cpu != "all":
            mean = sum(reading[cpu] for reading in readings) / len(readings)
            yield Observation(f"{role}_cpu{cpu}_busy", mean, "%", 1)
