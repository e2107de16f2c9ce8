"""A block while it is measured: resumed, and locked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.record import not_run
from remeasure.bench.campaign.staging import Staging, remove_packed

CELLS = [{"a": level} for level in "wxyz"]
BLOCK = {"campaign": "c", "scenario": "s", "block": 1, "profile": "smoke", "seed": 1}
BLOCK |= {"order": CELLS, "sessions": []}


@settings(deadline=None)
@given(st.data())
def test_resuming_measures_every_trial_once_and_loses_nothing(tmp_path_factory, data):
    """A run is killed in the middle of a trial any number of times."""
    archive = tmp_path_factory.mktemp("campaign") / "block-01.zip"
    trials, finished_by_us, kills = len(CELLS), [], 0
    while True:
        alive_for = data.draw(st.integers(0, trials))
        with Staging(archive) as staging:
            todo = [i for i in range(1, trials + 1) if i not in staging.finished]
            for order in todo:
                part, attempt = staging.begin(order)
                (part / "proof.txt").write_text(f"{order} {attempt}")
                if alive_for == 0 and kills < 6:
                    kills += 1
                    break  # killed: the lock goes with the process, the folder stays
                alive_for -= 1
                done = not_run(order, "not run")
                staging.finish(
                    order, {"order": order, "attempt": attempt, "cell": CELLS[order - 1], **done}
                )
                finished_by_us.append(order)
            else:
                staging.write_block(BLOCK)
                staging.pack()
                break
    assert sorted(finished_by_us) == [1, 2, 3, 4]
    block = BlockArchive(archive)
    assert [trial.record["order"] for trial in block.trials] == [1, 2, 3, 4]
    assert sum("attempt-" in name for name in block.members) == kills
    assert sum(t.record["attempt"] - 1 for t in block.trials) == kills
    assert not archive.with_suffix(".staging").exists()


def test_a_finished_block_that_a_workflow_manager_deletes_is_packed_again(tmp_path):
    done, lost = tmp_path / "block-01.zip", tmp_path / "block-02.zip"
    for archive in (done, lost):
        with Staging(archive) as staging:
            staging.begin(1)
            record = not_run(1, "not run")
            staging.finish(1, {"order": 1, "attempt": 1, "cell": CELLS[0], **record})
            staging.write_block(BLOCK)
            staging.pack(keep=True)
    packed = lost.read_bytes()
    lost.unlink()
    remove_packed([str(done), str(lost)])
    assert not Staging(done).folder.exists()
    with Staging(lost) as staging:
        assert staging.finished == {1}
        staging.pack()
    assert lost.read_bytes() == packed and not staging.folder.exists()


def test_two_processes_cannot_measure_the_same_block(tmp_path):
    with (
        Staging(tmp_path / "block-01.zip"),
        pytest.raises(UserError, match="another process"),
        Staging(tmp_path / "block-01.zip"),
    ):
        pass
