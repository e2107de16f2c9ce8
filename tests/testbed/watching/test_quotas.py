"""Quotas of processor time, by groups of processes in a folder."""

import pytest

from remeasure.bench.measure.health import quota_doubts
from remeasure.bench.testbed.watching.load import Held, held_since, held_up

VERSIONS = {
    "1:cpu,cpuacct:/box/job": "nr_periods 9\nnr_throttled {}\nthrottled_time {}000000\n",
    "0::/box/job": "usage_usec 5\nnr_periods 9\nnr_throttled {}\nthrottled_usec {}000\n",
}


@pytest.mark.parametrize("line", VERSIONS)
def test_a_quota_of_any_group_around_a_process_is_found(line, tmp_path):
    (tmp_path / "box/job").mkdir(parents=True)
    (tmp_path / "box/job/cpu.stat").write_text("usage_usec 5\n")
    groups, stat = tmp_path / "cgroup", tmp_path / "box/cpu.stat"
    groups.write_text(f"7:memory:/other\n{line}\n")
    stat.write_text(VERSIONS[line].format(3, 100))
    before = held_up(groups, tmp_path)
    assert before == {str(tmp_path / "box"): Held(3, 100_000_000)}
    assert held_since(before, held_up(groups, tmp_path)) == {}
    stat.write_text(VERSIONS[line].format(8, 400))
    assert held_since(before, held_up(groups, tmp_path)) == {
        str(tmp_path / "box"): Held(5, 300_000_000)
    }


def test_a_hundredth_of_a_run_is_nothing():
    assert quota_doubts({"/g": Held(1, 9_000_000)}, 10**9) == []
    says = (
        "a quota of processor time (/g) held processes up 7 times, for 0.40 s, expected at most "
        "0.01 s"
    )
    assert quota_doubts({"/g": Held(7, 400_000_000)}, 10**9) == [(says, True)]
