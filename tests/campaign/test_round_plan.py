"""The gate of a round: bounds before a block, and bounds of its own record."""

import ast
import hashlib
import math

import pytest

from remeasure.bench.campaign import round_plan
from remeasure.bench.campaign.round_plan import Gate, PlannedBlock, RoundPlan, measuring_code
from remeasure.bench.measure.round import disturbances_of, pace_of

QUIET = {"busy": 0.9, "steal": 0.0, "foreign": 0.01}
USUAL_NS = 10**9
LOSS = {"kind": "probe-sa", "passed": False}
MOVED = {"kind": "placement", "passed": False}


def trials(count: int = 20, pace: float = 1, verdict="accepted", failed=(), **health) -> list[dict]:
    """Trials of 60 s; those from the second on were quiet, and were accepted. `failed`: checks of
    the first one."""
    ns = round(pace * USUAL_NS)
    made = [
        {"start_ns": 0, "end_ns": 60 * 10**9, "pace_ns": ns, "pace_after_ns": ns}
        | {"health": QUIET, "verdict": "accepted", "checks": []}
        for _ in range(count)
    ]
    made[0] |= {"health": QUIET | health, "verdict": verdict, "checks": list(failed)}
    return made


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        ((0.02, 0.01, 1.09, 0.1), None),
        ((0.02, 0.01, math.nan, 0), None),
        ((0.021, 0, 1, 0), "processor use of other programs: found 2.1%, expected at most 2.0%"),
        ((0, 0.02, 1, 0), "processor use of the hypervisor: found 2.0%, expected at most 1.0%"),
        ((0, 0, 1.12, 0), "pace: found 1.12 times the median of round 1, expected within 0.1"),
        ((0, 0, 0.88, 0), "pace: found 0.88 times the median of round 1, expected within 0.1"),
        ((0, 0, math.nan, 0.12), "spread of pace: found 12.0%, expected at most 10.0%"),
    ],
)
def test_a_block_begins_on_a_quiet_machine_only(now, reason):
    assert Gate().before(*now) == ([reason] if reason else [])
    assert Gate(pace=0.5).before(0, 0, 1.5, 0) == [], "at its bound"


@pytest.mark.parametrize(
    ("measured", "reason"),
    [
        (trials(10, verdict="rejected"), None),
        (trials(foreign=0.4), None),
        (trials(foreign=0.5), "processor use of other programs: found 3.5%, expected at most"),
        (trials(steal=0.3), "processor use of the hypervisor: found 1.5%, expected at most"),
        (trials(pace=1.2), "pace: found 1.20 times the median of round 1"),
        (trials(10, pace=0.96) + trials(10, pace=1.08), "spread of pace: found 12.5%, expected at"),
        (trials(10, pace=0.96) + trials(10, pace=1.04), None),
        (trials(5, verdict="suspect") * 2, "trials that were disturbed: found 20.0%"),
        (trials(5, verdict="rejected", failed=[LOSS]) * 2, None),
        (trials(5, verdict="rejected", failed=[MOVED]) * 2, "trials that were disturbed: found"),
        (trials(10, verdict="rejected", foreign=0.2) * 2, "trials that were disturbed: found"),
    ],
)
def test_a_block_is_judged_by_its_own_record(measured, reason):
    found = disturbances_of(measured, Gate(), USUAL_NS)
    assert len(found) == (reason is not None) and (not found or found[0].startswith(reason))


def test_pace_is_a_median_and_missing_without_trials():
    assert pace_of(trials(3) + trials(1, pace=5)) == USUAL_NS
    assert math.isnan(pace_of([]))
    assert disturbances_of(trials(), Gate(), math.nan) == [], (
        "round 1 has no pace to be compared with yet"
    )


def test_sessions_of_a_block_are_not_far_apart():
    minute = 60 * 10**9
    close = [
        {"start_ns": 0, "end_ns": minute},
        {"start_ns": 31 * minute},
        {"start_ns": 61 * minute},
    ]
    assert Gate().of_pause(close) == Gate().of_pause([]) == []
    assert len(Gate().of_pause([*close, {"start_ns": 91 * minute + 1}])) == 1
    said = "a pause between sessions: found 32 min, expected at most 30 min"
    assert Gate().of_pause([*close, {"start_ns": 93 * minute}]) == [said]


def test_a_plan_has_the_rounds_that_were_drawn():
    gate = Gate(spread=0.2)
    rounds = [
        [PlannedBlock("a", 1), PlannedBlock("b", 1)],
        [PlannedBlock("b", 2), PlannedBlock("a", 2)],
    ]
    for least, needed in ((None, 2), (1, 1)):
        plan = RoundPlan.drawn(gate, rounds, least)
        assert (plan.rounds, plan.least, plan.gate) == (rounds, needed, gate)
        assert plan.code == measuring_code()


def test_code_that_measures_is_every_file_but_comments_and_bytecode(tmp_path, monkeypatch):
    monkeypatch.setattr(round_plan, "__file__", str(tmp_path / "campaign/round_plan.py"))
    written = "b.py\0" + ast.dump(ast.parse("b = 1")) + "\0c.yaml\0c: 1\0"
    (tmp_path / "c.yaml").write_text("c: 1")
    for name, text in (("b.py", "b = 1"), ("b.py", "b = 1  # one\n"), ("b.pyc", "compiled")):
        (tmp_path / name).write_text(text)
        assert measuring_code() == hashlib.sha256(written.encode()).hexdigest()[:16]
