"""Guests of several processors, under both back ends: each processor's SAs carry packets."""

import pytest
from real_guests import leave_conditions_out, leave_streams_out

from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.lab import qemu
from remeasure.bench.lab.image import is_built
from remeasure.paper.tidy.rows import counter_rows, trial_rows

pytestmark = [pytest.mark.lab, pytest.mark.slow]


# Where a kernel of several processors is built, a lab takes QEMU no more (test_affinity boots it).
SELDOM = [pytest.mark.whole] if is_built("smp") else []
QEMU, UML = BACKENDS = [
    pytest.param(
        ("qemu", "qemu", ("per-cpu",)),
        marks=[
            *SELDOM,
            pytest.mark.skipif(
                not (qemu.is_installed() and is_built("stock")),
                reason="not there; env/guest/kernel/build stock makes it",
            ),
        ],
    ),
    pytest.param(
        ("lab", "uml-smp", ("single", "per-cpu")),
        marks=pytest.mark.skipif(
            not is_built("smp"), reason="not there; env/guest/kernel/build smp makes it, in 6 min"
        ),
    ),
]
"""testbed, back end, and conditions: guests of QEMU boot for half a minute where every instruction
is translated, and measure one"""


@pytest.fixture(scope="module")
def project_of_two(shared_project):
    leave_streams_out(shared_project, kept=8)
    return shared_project


def _measured(campaign: str | None, backend: str) -> BlockArchive | None:
    """The block of a campaign that was measured before, if it is of this back end."""
    path = ROOT / f"data/raw/{campaign}/per-cpu-sas/block-01.zip"
    if not campaign or not path.exists():
        return None
    archive = BlockArchive(path)
    return archive if {trial["backend"] for trial in trial_rows(archive)} == {backend} else None


@pytest.fixture(scope="module", params=BACKENDS)
def block(request, project_of_two):
    """A smoke block of per-cpu-sas, and the back end that it was to be of."""
    testbed, backend, conditions = request.param
    if measured := _measured(request.config.getoption("--measured"), backend):
        return backend, measured
    leave_conditions_out(project_of_two, *conditions)
    path = project_of_two.folder / f"config/testbeds/{testbed}.yaml"
    original = path.read_text()
    if testbed == "lab":
        path.write_text(f"{original}several_cpus: {backend}\n")
    status, output = project_of_two.run(
        "remeasure",
        "measure",
        f"of-{backend}",
        "per-cpu-sas",
        "1",
        "--profile",
        "smoke",
        "--testbed",
        testbed,
    )
    path.write_text(original)
    assert status == 0, output
    return backend, BlockArchive(
        project_of_two.folder / f"data/raw/of-{backend}/per-cpu-sas/block-01.zip"
    )


def test_every_trial_is_proven(block):
    backend, archive = block
    trials = list(trial_rows(archive))
    assert [trial["reasons"] for trial in trials if trial["verdict"] == "rejected"] == []
    assert {trial["backend"] for trial in trials} == {backend}
    assert {trial["guest_cpus"] for trial in trials} == {4}


def test_sas_of_each_processor_carry_packets(block):
    """Over the trial. Which processors the streams of one short run use is the guest's to say."""
    _, archive = block
    (trial,) = [t for t in archive.trials if t.record["cell"]["condition"] == "per-cpu"]
    found = {
        check["name"]: check["found"]
        for check in trial.record["checks"]
        if check["name"].endswith("processors whose SA carried packets")
    }
    assert found == dict.fromkeys(
        (f"{host}: processors whose SA carried packets" for host in ("left", "right")), "[0, 1]"
    )
    counted = {row["counter"] for row in counter_rows(archive) if row["condition"] == "per-cpu"}
    assert counted & {"sa_out_cpu0_packets", "sa_out_cpu1_packets"}


@pytest.mark.parametrize("block", [UML], indirect=True, scope="module")
def test_one_sa_is_of_no_processor(block):
    _, archive = block
    counters = {row["counter"] for row in counter_rows(archive) if row["condition"] == "single"}
    assert "sa_out_packets" in counters
    assert not any(counter.startswith("sa_out_cpu") for counter in counters)
