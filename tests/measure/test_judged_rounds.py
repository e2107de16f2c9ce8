"""A round judges blocks by their records. Blocks are made of a released one, in place of
the process that measures (tests/measure/test_measured_rounds.py has that)."""

import datetime
import json
import subprocess

import pytest
import yaml
from blocks import smaller
from projects import commit_all

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign import folder
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.attempts import attempt_at
from remeasure.bench.campaign.round_plan import Gate, RoundPlan
from remeasure.bench.measure import round
from remeasure.bench.measure.begin import RoundOrder, moment_of
from remeasure.bench.measure.round import _Round

SCENARIO = "per-cpu-sas"
SOURCE = RAW / "lab-2026-11-qemu"
OPEN = {"foreign": 1, "steal": 1, "during": 1, "pause": 10**6}
SUSPECT = {"pace_ns": 100, "verdict": "suspect", "reasons": ["load"]}
ORDER = RoundOrder("lab-2026-11-qemu", None, "lab", 1, 0, commit=False)


class MadeRound(_Round):
    """Blocks are written: for each attempt its pace, or the verdict and pace of its trials."""

    def use(self, attempts):
        self.attempts = iter(attempts)
        return self

    def _measure(self, archive, where):
        self._require_time(archive.parent.name, where)
        source = BlockArchive(SOURCE / SCENARIO / "block-01.zip")
        first = iter([True, True])
        archive.parent.mkdir(exist_ok=True)
        smaller(source, archive, lambda _: next(first, False), **next(self.attempts))


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Makes a round of a campaign with two rounds of one block, under a gate."""
    monkeypatch.setattr(folder, "RAW", tmp_path)
    (tmp_path / ORDER.campaign).mkdir()
    document = yaml.safe_load((SOURCE / "campaign.yaml").read_text())

    def make(gate, *attempts, order=ORDER):
        rounds = RoundPlan.drawn(Gate(**OPEN | gate), [[(SCENARIO, 1)], [(SCENARIO, 2)]])
        path = tmp_path / ORDER.campaign / "campaign.yaml"
        path.write_text(yaml.safe_dump(document | {"rounds": rounds.model_dump()}))
        return MadeRound(folder.load_frozen(path), rounds, order).use(attempts)

    return make


def replaced(tmp_path):
    return sorted(path.name for path in tmp_path.glob("*/replaced/*/*.zip"))


def judged(tmp_path, number):
    return json.loads(next(tmp_path.glob(f"*/*/block-0{number}.judged.json")).read_text())


def test_a_block_measured_again_is_judged_by_its_own_pace(made, tmp_path):
    """Its path is the one of the block that was put aside."""
    made({"pace": 0.1}, SUSPECT | {"pace_ns": 130}, {"pace_ns": 100}).measure()
    assert replaced(tmp_path) == ["block-01.attempt-1.zip"]
    assert judged(tmp_path, 1)["reasons"] == []


def test_blocks_of_a_finished_round_are_not_judged_again(made, tmp_path):
    made({"pace": 0.1}, {"pace_ns": 100}).measure()
    made({"pace": 0.1}, {"pace_ns": 105}).measure()
    # Any pace but the median of round 1 is beyond this bound.
    with pytest.raises(UserError, match="2 of 2 rounds are measured; seal the campaign"):
        made({"pace": 0.000001}).measure()
    assert replaced(tmp_path) == []


def test_trials_rejected_for_what_they_met_leave_a_block_and_are_printed(made, tmp_path, capsys):
    lost = {"pace_ns": 100, "verdict": "rejected", "reasons": ["a ping was lost"]}
    made({"pace": 9}, lost).measure()
    assert replaced(tmp_path) == []
    assert capsys.readouterr().err.count(": rejected: a ping was lost") == 2


def test_the_last_attempt_stays_with_its_reasons(made, tmp_path, capsys):
    made({"pace": 9, "attempts": 2}, SUSPECT, SUSPECT).measure()
    assert replaced(tmp_path) == ["block-01.attempt-1.zip"]
    mark = judged(tmp_path, 1)
    assert mark["attempt"] == 2 and "trials that were disturbed: found 100.0%" in mark["reasons"][0]
    assert "kept, though it was disturbed: attempt 2 of 2" in capsys.readouterr().err


def test_an_attempt_put_aside_is_a_commit_before_its_block_passes(made, tmp_path, monkeypatch):
    monkeypatch.setattr(round, "ROOT", tmp_path)
    (tmp_path / "begun").touch()
    commit_all(tmp_path)
    for key, who in (("name", "a"), ("email", "a@example.org")):
        subprocess.run(["git", "-C", tmp_path, "config", f"user.{key}", who], check=True)
    suspect = {"pace_ns": 100, "verdict": "suspect", "reasons": ["load"]}
    with pytest.raises(StopIteration):  # killed during the second attempt
        made({"pace": 9}, suspect, order=ORDER._replace(commit=True)).measure()
    subprocess.run(["git", "clone", "-q", tmp_path, tmp_path / "clone"], check=True)
    block = tmp_path / "clone" / ORDER.campaign / SCENARIO / "block-01.zip"
    assert attempt_at(block) == 2
    reasons = (
        tmp_path / "clone" / ORDER.campaign / "replaced" / SCENARIO / "block-01.attempt-1.json"
    )
    assert "trials that were disturbed" in reasons.read_text()


def test_no_block_begins_that_would_not_end_in_time(made, tmp_path):
    order = ORDER._replace(wait=30, until_ns=0)
    said = made({}, order=order).measure()
    assert f"{ORDER.campaign}: 0 of 2 rounds measured; {ORDER.campaign}, round 1 of 2" in said
    assert "may wait for 30 min, and would not end by 1970-01-01T00:00:00+00:00" in said
    assert not list(tmp_path.glob("*/*/*.zip"))


NOW = datetime.datetime(2026, 11, 29, 23, 0, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("23:30", "2026-11-29T23:30+00:00"),
        ("1:30", "2026-11-30T01:30+00:00"),
        ("2026-12-01T10:00+00:00", "2026-12-01T10:00+00:00"),
        ("22:59", "found 22:59, which has passed: it is 2026-11-29T23:00"),
        ("2026-11-29T22:00+00:00", "which has passed"),
        ("24:00", "found '24:00', expected a time: 14:20, or 2026-11-30T14:20"),
        ("soon", "expected a time"),
    ],
)
def test_a_time_of_the_clock_is_the_next_one_or_is_refused(text, found):
    try:
        moment = datetime.datetime.fromtimestamp(moment_of(text, NOW) / 1e9, datetime.UTC)
        assert moment.isoformat(timespec="minutes") == found
    except UserError as error:
        assert found in str(error)
