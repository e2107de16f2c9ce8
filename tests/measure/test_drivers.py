"""A trial's requirements of hosts: the provers of every kind of cell, on answers of released
trials."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from remeasure.bench.base.checks import Check
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.folder import measured_scenario
from remeasure.bench.campaign.plan import Task
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.measure import linux
from remeasure.bench.testbed.inventory import Host
from remeasure.bench.testbed.remote import Remote

RAW = ROOT / "data" / "raw"
TUNNEL = {"ike-sa", "child-sa", "replay-window", "authentication", "chain", "eap-identity"}


class Answers:
    """A released trial whose hosts are asked again, and answer as they did."""

    def __init__(self, block: str, cell: dict[str, str], folder: Path):
        path = RAW / f"lab-2026-11-{block}/block-01.zip"
        archive, scenario = BlockArchive(path), measured_scenario(path)
        self.trial = next(
            trial
            for trial in archive.trials
            if cell.items() <= trial.record["cell"].items()
            and trial.record["verdict"] == "accepted"
        )
        self._archive = archive
        cell = self.trial.record["cell"]
        self.probes = scenario.settings(cell).probes
        task = Task(scenario, cell, self.probes, 1, Credentials(folder))
        self.driver = linux.LinuxDriver(
            task, {role: Remote(_host(role, scenario)) for role in scenario.topology.hosts}
        )

    def proven(self, provers, *_) -> Iterable[Check]:
        for prover in provers:
            yield from prover.check(*(self._answer(file).decode() for file in prover.questions))

    def _answer(self, file: str) -> bytes:
        if file.endswith("reassembly.txt") and self._archive.block["format"] == 1:
            return b"1\n"  # trials of then were not asked
        if file.endswith((".xfrm-policy.txt", ".unchanged.txt", ".clear-text.txt")):
            return b""  # nor were released ones
        return self._archive.read(f"{self.trial.folder}/{file}")


def _host(role, scenario) -> Host:
    links = scenario.topology.links_of(role)
    return Host(
        name=role, roles=[role], address="192.0.2.1", key="none", interfaces={n: n for n in links}
    )


@pytest.mark.parametrize(
    ("block", "cell", "kinds"),
    [
        ("22/psk-rsa", {"auth": "rsa", "network": "impaired"}, {*TUNNEL, "sa-packets"}),
        ("22/calibration", {}, {"no-ipsec"}),
        ("eap-pinned/eap-methods", {"method": "eap-md5"}, TUNNEL),
        ("22/ah-esp-ciphers", {"suite": "none"}, {"no-ipsec"}),
        ("smp-pinned/per-cpu-sas", {"condition": "per-cpu"}, {*TUNNEL, "per-cpu", "steering"}),
    ],
)
def test_a_cell_is_proven_by_what_its_hosts_said(block, cell, kinds, tmp_path, monkeypatch):
    answers = Answers(block, cell, tmp_path)
    monkeypatch.setattr(linux, "prove", answers.proven)
    checks = list(answers.driver.prove(lambda *_: None))
    policies = [check for check in checks if check.kind == "policy"]
    unasked = [check for check in checks if check.kind in ("policy", "clear-text")]
    assert {check.found for check in policies} == ({"none"} if "child-sa" in kinds else set())
    assert [str(check) for check in checks if not check.passed and check not in unasked] == []
    asked = {check.kind for check in checks} - {"policy", "clear-text"}
    assert asked == kinds | {"link", "reassembly", "settled"}
    asked = {check.name for check in checks}
    recorded = {
        check["name"]
        for check in answers.trial.record["checks"]
        if check["kind"] not in ("placement", "changes")  # of guests; no more
    }
    # The disciplines are one check now, and so are the algorithms of both directions.
    joined = {": (tbf|netem)$": ": disciplines", "kernel's SA (in|out)": "kernel's SAs"}
    for pattern, name in joined.items():
        recorded = {one if one in asked else re.sub(pattern, name, one) for one in recorded}
    lost = {name for name in recorded - asked if name.split(":")[0] not in answers.probes}
    assert not lost
