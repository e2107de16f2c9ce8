"""Every log under tests/fixtures that a probe reads, against the complete list of its values.

Next to a log stands `<log>.expected.json`: the probe, and either each observation in order (metric,
value, unit, line, index, side) or the message with which the log is refused. To write these files
again after a change, and read the difference:

    env/run python tests/probes/test_expected.py                    # all that are there
    env/run python tests/probes/test_expected.py PROBE LOG...       # more logs
"""

import json
import sys
from pathlib import Path

import pytest

from remeasure.bench.probes import PROBES
from remeasure.bench.probes.base import LogError

FIXTURES = Path(__file__).parents[1] / "fixtures"
SUFFIX = ".expected.json"
EXPECTED = sorted(FIXTURES.glob(f"*/*{SUFFIX}"))


def log_of(expected: Path) -> Path:
    return expected.with_name(expected.name.removesuffix(SUFFIX))


def found_in(probe: str, log: Path) -> dict:
    try:
        found = PROBES[probe].parse(log.name, log.read_bytes())
        observations = [[o.metric, o.value, o.unit, o.line, o.index, o.side] for o in found]
    except LogError as error:
        return {"probe": probe, "refused": str(error)}
    return {"probe": probe, "observations": observations}


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda p: str(log_of(p).relative_to(FIXTURES)))
def test_a_log_gives_what_stands_beside_it(expected):
    whole = json.loads(expected.read_text())
    assert found_in(whole["probe"], log_of(expected)) == whole, (
        f"write it again, as {__file__} says"
    )


@pytest.mark.parametrize("probe", PROBES)
def test_every_metric_of_a_probe_is_in_some_log(probe):
    wholes = [json.loads(path.read_text()) for path in EXPECTED]
    seen = {
        id(PROBES[probe].metrics.of(metric))
        for whole in wholes
        if whole["probe"] == probe
        for metric, *_ in whole.get("observations", [])
    }
    unseen = [n for n, metric in PROBES[probe].metrics.items() if id(metric) not in seen]
    assert unseen == [], f"no log of {probe} below tests/fixtures/ has one: add a log that does"


def write(probe: str, log: Path) -> None:
    """One observation per line, so that a difference can be read."""
    found = found_in(probe, log)
    if "refused" in found:
        text = json.dumps(found, indent=1)
    else:
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in found["observations"])
        text = f'{{"probe": "{probe}", "observations": [\n{lines}\n]}}'
    log.with_name(log.name + SUFFIX).write_text(text + "\n")


if __name__ == "__main__":
    probe, *logs = sys.argv[1:] or [None]
    for expected in [] if probe else EXPECTED:
        write(json.loads(expected.read_text())["probe"], log_of(expected))
    for log in logs:
        write(probe, Path(log))
