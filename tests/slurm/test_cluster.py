"""A campaign on a cluster of Slurm ends complete, though a job is cancelled, a node is drained, or
the controller is killed."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from cluster import NODES, PROCESSORS, Cluster, wait_until, why_not
from projects import Project, copy_project
from real_guests import SMALL

from remeasure.bench.campaign.archive import BlockArchive

pytestmark = [
    pytest.mark.lab,
    pytest.mark.slow,
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
]
SCENARIOS = ("small", "other")
BLOCKS = [f"data/raw/mine/{name}/block-{n:02d}.zip" for name in SCENARIOS for n in (1, 2)]
OPTIONS = [
    *("--latency-wait", "10", "--seconds-between-status-checks", "2"),
    *("--slurm-init-seconds-before-status-checks", "3"),
    *("--config", "campaign=mine", "profile=smoke"),
]


@pytest.fixture
def cluster(tmp_path):
    with Cluster(tmp_path / "slurm") as cluster:
        yield cluster


@pytest.fixture
def project(tmp_path, cluster) -> Project:
    """A copy of the project with two small scenarios of two blocks each, for the cluster."""
    project = copy_project(tmp_path / "project")
    document = yaml.safe_load(SMALL.read_text()) | {"blocks": 2}
    for name in SCENARIOS:
        project.scenario(name).write_text(yaml.safe_dump(document))
        project.copy_notebook("template", name)
    path = f"{Path(sys.executable).parent}:{cluster.environment['PATH']}"
    project.environment |= cluster.environment | {"PATH": path}
    return project


def staging(project: Project, block: str) -> Path:
    return (project.folder / block).with_suffix(".staging")


def start(project: Project, blocks: list[str], condition, *settings: str) -> subprocess.Popen:
    """Snakemake at work; returns when `condition` is met."""
    profile = ("--workflow-profile", "profiles/slurm")
    process = project.start("snakemake", *profile, *blocks, *OPTIONS, *settings)

    def ready() -> object:
        assert process.poll() is None, process.stdout.read()
        return condition()

    wait_until(ready, "what a test waits for", 300)
    return process


def half_measured(project: Project) -> str | None:
    """A block whose first trial is finished, and whose second one is being measured."""
    for block in BLOCKS:
        trials = staging(project, block) / "trials"
        if (trials / "0001/trial.json").exists() and (trials / "0002.part").exists():
            return block
    return None


def finished(project: Project) -> dict[tuple[str, str], bytes]:
    """Of blocks that are being measured: block and path of a finished trial -> its record."""
    return {
        (block, f"trials/{path.parent.name}/trial.json"): path.read_bytes()
        for block in BLOCKS
        for path in (staging(project, block) / "trials").glob("[0-9]???/trial.json")
    }


def job_of(cluster: Cluster, block: str) -> tuple[str, str]:
    """The job that measures a block, and its node."""
    for job, (node, text) in cluster.jobs().items():
        if block.replace("/", "_") in text.replace("/", "_"):
            return job, node
    raise AssertionError(f"no job of {block}: {cluster.jobs()}")


def processes_of(job: str) -> list[int]:
    """Processes started by a job, guests among them, but not Slurm's own."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            mine = f"SLURM_JOB_ID={job}".encode() in (process / "environ").read_bytes().split(b"\0")
            if mine and (process / "comm").read_text().strip() != "slurmstepd":
                found.append(int(process.name))
    return found


def require_complete(
    project: Project,
    process: subprocess.Popen,
    cluster: Cluster,
    before: dict[tuple[str, str], bytes],
    blocks: list[str],
) -> None:
    """Every block is there, and no trial of `before` was measured again."""
    output, _ = process.communicate(timeout=900)
    logs = [p.read_text()[-3000:] for p in project.folder.glob(".snakemake/slurm_logs/**/*.log")]
    assert process.returncode == 0, "\n".join([output, *logs, cluster.logs()])
    for block in blocks:
        archive = BlockArchive(project.folder / block)
        assert len(archive.trials) == 2
        for session in archive.block["sessions"]:
            if not session["guests"]["virtual_clock"]:
                require_alone(session)
    for (block, name), record in before.items():
        assert BlockArchive(project.folder / block).read(name) == record


def require_alone(session: dict) -> None:
    """A job had its whole node: guests were placed on every processor of it."""
    assert session["machine"]["node"] in NODES
    cores = {core for own in session["guests"]["cores"].values() for core in own}
    assert len(cores) == PROCESSORS


def test_a_cancelled_job_and_a_drained_node(project, cluster):
    process = start(project, BLOCKS, lambda: half_measured(project))
    block = half_measured(project)
    job, node = job_of(cluster, block)
    before = finished(project)
    cluster.say("scancel", job)
    wait_until(lambda: not processes_of(job), f"the end of all processes of job {job}", 15)
    other = next(one for one in cluster.states() if one != node)
    cluster.say("scontrol", "update", f"NodeName={other}", "State=DRAIN", "Reason=test")
    require_complete(project, process, cluster, before, BLOCKS)
    # The block was taken up at the same place, in the same archive: by a second session, or by a
    # third if a guest was killed before its program, which started guests again.
    assert len(BlockArchive(project.folder / block).block["sessions"]) in (2, 3)


def test_a_killed_controller(project, cluster):
    blocks = BLOCKS[:2]
    process = start(project, blocks, lambda: half_measured(project))
    before = finished(project)
    cluster.kill_controller()
    cluster.start_controller()
    require_complete(project, process, cluster, before, blocks)


def test_in_virtual_time_each_processor_of_a_node_has_a_block(project, cluster):
    cluster.say("scontrol", "update", "NodeName=n2", "State=DRAIN", "Reason=test")

    def both() -> bool:
        return [node for node, _ in cluster.jobs().values()] == ["n1", "n1"]

    process = start(project, BLOCKS[:2], both, "testbed=virtual")
    require_complete(project, process, cluster, {}, BLOCKS[:2])
