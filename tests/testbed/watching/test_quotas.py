"""Quotas of processor time, by groups of processes in a folder."""

import os
import subprocess

import pytest

from remeasure.measure.health import quota_doubts
from remeasure.testbed.watching import quotas
from remeasure.testbed.watching.first_line import FIRST_LINE
from remeasure.testbed.watching.quotas import Held, held_since, held_up

VERSIONS = {
    "1": "nr_periods 9\nnr_throttled {}\nthrottled_time {}000000\n",
    "2": "usage_usec 5\nnr_periods 9\nnr_throttled {}\nthrottled_usec {}000\n",
}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_quota_of_any_group_around_a_process_is_found(version, tmp_path, monkeypatch):
    line = {"1": "1:cpu,cpuacct:/box/job", "2": "0::/box/job"}[version]
    (tmp_path / "box/job").mkdir(parents=True)
    (tmp_path / "box/job/cpu.stat").write_text("usage_usec 5\n")
    monkeypatch.setattr(quotas, "_ROOTS", {"1": [str(tmp_path)], "2": [str(tmp_path)]})
    groups = tmp_path / "cgroup"
    groups.write_text(f"7:memory:/other\n{line}\n")
    path = quotas.Path
    monkeypatch.setattr(quotas, "Path", lambda *p: groups if p == ("/proc/1/cgroup",) else path(*p))
    stat = tmp_path / "box/cpu.stat"
    stat.write_text(VERSIONS[version].format(3, 100))
    before = held_up([1])
    assert before == {str(tmp_path / "box"): Held(3, 100_000_000)}
    assert held_since(before, held_up([1])) == {}
    stat.write_text(VERSIONS[version].format(8, 400))
    assert held_since(before, held_up([1])) == {str(tmp_path / "box"): Held(5, 300_000_000)}


def test_a_process_that_has_ended_is_in_no_group():
    assert held_up([2**22 + 1]) == {}
    assert held_up([os.getpid()]).keys() <= held_up([os.getpid(), 2**22 + 1]).keys()


def test_a_hundredth_of_a_run_is_nothing():
    assert quota_doubts({"/g": Held(1, 9_000_000)}, 10**9) == []
    says = (
        "a quota of processor time (/g) held processes up 7 times, for 0.40 s, expected at most "
        "0.01 s"
    )
    assert quota_doubts({"/g": Held(7, 400_000_000)}, 10**9) == [(says, True)]


def test_a_host_tells_the_same():
    tell = "function tell(kind, line) { print kind, line }"
    script = f"{FIRST_LINE}{tell}{quotas.TELL_QUOTAS}BEGIN {{ quotas() }}"
    said = subprocess.run(["awk", script], capture_output=True, text=True, check=True).stdout
    expected = [
        f"quota of {group} held processes up {held.times}"
        for group, held in held_up([os.getpid()]).items()
    ]
    assert sorted(said.splitlines()) == expected
