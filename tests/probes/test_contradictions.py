"""A log that contradicts itself is refused, by a line that names the file."""

import pytest
from contradicting import LISTED, contradictions

from remeasure.probes import PROBES
from remeasure.probes.base import LogError

CASES = list(contradictions())


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.probe}: {c.what}")
def test_a_contradiction_is_refused(case):
    with pytest.raises(LogError, match=rf"^{case.name}:[0-9]+: found .+, expected .+") as refused:
        list(PROBES[case.probe].parse(case.name, case.content))
    assert str(refused.value).isprintable()
    assert "behind this line" not in str(refused.value), "not foreseen"


def test_contradictions_of_each_probe_are_listed():
    without = set(PROBES) - {listed["probe"] for listed in LISTED}
    assert not without, f"tests/probes/contradictions.yaml: expected an entry for {without}"
