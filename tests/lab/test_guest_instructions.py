"""Guests whose kernel computes ciphers with the instructions that a cell leaves it with."""

import shutil
from pathlib import Path

import pytest

from remeasure.bench.base.paths import CACHE
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.lab.image import get_kernel, is_built, kernel_facts

pytestmark = [pytest.mark.lab, pytest.mark.slow]
SCENARIO = Path(__file__).with_name("instructions.yaml")
GCM = "rfc4106(gcm(aes))"

needs_kernel = pytest.mark.skipif(
    not is_built("instructions"),
    reason="not there; env/guest/kernel/build instructions makes it, in 6 min",
)


def measured(project, profile: str) -> BlockArchive:
    shutil.copy(SCENARIO, project.scenario("instructions"))
    status, said = project.run(
        "remeasure", "measure", "try", "instructions", "1", "--profile", profile
    )
    assert status == 0, said
    return BlockArchive(project.folder / "data/raw/try/instructions/block-01.zip")


# .ci/run measures a block of these levels; without it, test_instructions.py has the proof's rules.
@pytest.mark.whole
@needs_kernel
def test_each_level_is_proven_by_flags_and_drivers(project):
    block = measured(project, "quick")
    drivers = {}
    for trial in block.trials:
        level = trial.record["cell"]["instructions"]
        checks = [c for c in trial.record["checks"] if c["kind"] == "instructions"]
        assert len(checks) == 4, "code and flags of both hosts"
        assert all(check["passed"] for check in checks), checks
        # Other tests run at the same time, which makes a trial suspect.
        assert trial.record["verdict"] != "rejected", trial.record["reasons"]
        for host in ("left", "right"):
            found = block.read(f"{trial.folder}/proof.{host}.crypto.txt").decode()
            drivers[level] = drivers.get(level, "") + found
    flags = block.block["sessions"][0]["machine"]["cpu_flags"].split()
    assert ("rfc4106-gcm-aesni" in drivers["all"] + drivers["aes"]) == ("aes" in flags)
    assert ("rfc4106-gcm-vaes" in drivers["all"]) == ("vaes" in flags)
    assert "vaes" not in drivers["aes"]
    assert "aesni" not in drivers["none"] + drivers["unsaid"]
    assert {s["guests"]["backend"] for s in block.block["sessions"]} == {"uml-instructions"}


@needs_kernel
def test_it_is_the_same_kernel_wherever_and_whenever_it_is_compiled():
    """No bytes of it come from the folder, the user, the machine or the hour."""
    kernel = (get_kernel("instructions") / "linux").read_bytes()
    assert b"(remeasure@remeasure)" in kernel
    assert b"building." not in kernel and str(CACHE).encode() not in kernel
    facts = kernel_facts("instructions")
    assert [*facts] == ["version", "source", "configuration", "compiler"] and all(facts.values())


def test_without_that_kernel_only_no_instructions_can_be_measured(project):
    block = measured(project, "smoke")
    verdicts = {t.record["cell"]["instructions"]: t.record for t in block.trials}
    (check, _) = [c for c in verdicts["none"]["checks"] if c["kind"] == "instructions"]
    assert check["passed"]
    for level in ("aes", "all"):
        assert verdicts[level]["verdict"] == "rejected"
        assert "expected back end uml-instructions" in verdicts[level]["reasons"][0]
