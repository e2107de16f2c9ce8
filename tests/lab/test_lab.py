"""Real guests: the lab, its connections, trials end to end, and what a kill leaves behind."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from remeasure.analysis.proofs import proof_counts
from remeasure.analysis.summaries import read_tables
from remeasure.campaign.archive import BlockArchive
from remeasure.tidy.rows import counter_rows, observation_rows, trial_rows
from remeasure.tidy.tables import write_tables

pytestmark = pytest.mark.lab
HERE = Path(__file__).parent


def guests() -> int:
    """Guest kernels that run on this machine, ours or not."""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    return sum(" umid=" in line for line in listed.splitlines())


def network_namespaces() -> set[str]:
    """Those that some process lives in; our end of the control network lives in one."""
    found = set()
    for process in Path("/proc").glob("[0-9]*/ns/net"):
        with contextlib.suppress(OSError):
            found.add(os.readlink(process))
    return found


def wait_until(condition, seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return False


@pytest.fixture(scope="module")
def session(shared_project):
    before = guests()
    status, output = shared_project.run(sys.executable, str(HERE / "session.py"))
    assert status == 0, output
    assert guests() == before
    return json.loads(output.splitlines()[-1])


def test_a_guest_that_dies_is_one_clear_line(session):
    assert session["dead"].startswith("host client1 (root@10.66.0.1:22): ")
    assert "guest client1 died: " in session["died"]


def test_guests_answer_and_reach_each_other(session):
    assert session["hostname"] == "gw1"
    assert "1 received" in session["ping"]


def test_nothing_leaves_the_lab(session):
    assert "exit" in session["way_out"]


def test_commands_that_fail_or_hang_say_so(session):
    assert session["failed"].startswith("gw1: exit 2: ls /nowhere: ")
    assert session["late"] == "gw1: no end after 0.5 s: sleep 5"
    assert [c["exit"] for c in session["commands"][:3]] == [0, 2, None]
    assert session["background"] == "done\n"


def test_a_host_forgets_what_it_learnt_of_a_path(session):
    assert "mtu 1400" in session["learnt"]
    assert "mtu" not in session["forgotten"]


def test_keys_are_checked_both_ways(session):
    assert "its host key is not the one expected" in session["wrong_host_key"]
    assert "login refused" in session["wrong_key"]


def test_check_lists_what_is_there(project):
    status, output = project.run("remeasure", "check", "lab")
    assert "gw2" in output and "kernel esp4" in output and "tool iperf3" in output
    assert "MISSING" not in output
    assert status == 0 or "WRONG" in output


def test_an_interactive_lab_has_ssh_by_name(project):
    project.environment["SHELL"] = "/bin/sh"
    process = project.start("remeasure", "lab", "site-to-site", stdin=subprocess.PIPE)
    output, _ = process.communicate("ssh -n gw2 hostname -I\n")
    assert process.returncode == 0
    assert "client1 ---------- gw1" in output
    assert "192.168.20.254" in output.splitlines()[-1]


@pytest.fixture(scope="module")
def killed_block(shared_project):
    """A block whose job was killed in its second trial, then run again."""
    project = shared_project
    shutil.copy(HERE / "small.yaml", project.folder / "config/scenarios/small.yaml")
    command = ["remeasure", "measure", "test", "small", "1", "--profile", "smoke"]
    staging = project.folder / "data/raw/test/small/block-01.staging"
    before, namespaces = guests(), network_namespaces()

    def nothing_left() -> bool:
        return guests() == before and network_namespaces() <= namespaces

    # As under Snakemake: the job's parent is killed, not the job.
    parent = project.start(sys.executable, "-c", f"import subprocess; subprocess.run({command})")
    assert wait_until((staging / "trials/0002.part").exists, 120), parent.stdout.read()
    finished = (staging / "trials/0001/trial.json").read_bytes()
    os.kill(parent.pid, signal.SIGKILL)
    gone = wait_until(nothing_left, 10)
    # And the job itself.
    job = project.start(*command)
    again = staging / "trials/0002.part"
    assert wait_until((staging / "trials/0002.attempt-1").exists, 60), job.stdout.read()
    assert wait_until(lambda: any(again.glob("ike-*")), 60), "no log of the second attempt"
    os.kill(job.pid, signal.SIGKILL)
    gone = gone and wait_until(nothing_left, 10)
    status, output = project.run(*command)
    assert status == 0, output
    return {
        "finished": finished,
        "gone": gone,
        "staging": staging,
        "archive": BlockArchive(staging.with_suffix(".zip")),
        "project": project,
    }


def test_a_kill_leaves_no_guest_and_no_namespace(killed_block):
    assert killed_block["gone"]


def test_a_resumed_block_keeps_what_was_finished(killed_block):
    archive = killed_block["archive"]
    assert archive.read("trials/0001/trial.json") == killed_block["finished"]
    assert [t.record["attempt"] for t in archive.trials] == [1, 3]
    assert len(archive.block["sessions"]) == 3
    kept = {n.split("/")[1] for n in archive._zip.namelist() if "attempt-" in n}
    assert "0002.attempt-2" in kept, "what an interrupted attempt logged is kept"
    assert not killed_block["staging"].exists()


def test_trials_prove_their_treatment(killed_block):
    for trial in killed_block["archive"].trials:
        assert trial.record["verdict"] != "rejected", trial.record["reasons"]
        names = {check["name"] for check in trial.record["checks"]}
        assert {
            "gw2: replay window",
            "gw1.wan: netem",
            "gw1 authenticated by psk",
            "udp: gw2: packets of the inbound SA",
        } <= names


def test_proofs_are_counted(killed_block, tmp_path):
    write_tables([killed_block["archive"].path], tmp_path)
    counts = proof_counts(read_tables(tmp_path), "network")
    assert counts["trials"].tolist() == counts["reached the proof"].tolist() == [1, 1]
    assert set(counts["authentication"]) == {"2/2"}
    assert "other" not in counts


def test_rows_of_a_real_block(killed_block):
    archive = killed_block["archive"]
    assert len(list(trial_rows(archive))) == 2
    observations = list(observation_rows(archive))
    rtt = {row["network"]: row["value"] for row in observations if row["metric"] == "rtt_mean"}
    assert rtt["slow"] - rtt["plain"] == pytest.approx(20, abs=5)
    assert any(row["counter"] == "sa_in_packets" for row in counter_rows(archive))


def test_an_archive_holds_no_secret(killed_block):
    secrets = killed_block["project"].folder / ".secrets/test"
    psk = (secrets / "psk").read_bytes()
    archive = killed_block["archive"]
    for name in archive._zip.namelist():
        content = archive.read(name)
        assert psk not in content and b"PRIVATE KEY" not in content, name


def test_a_measured_block_is_not_measured_again(killed_block):
    status, output = killed_block["project"].run("remeasure", "measure", "test", "small", "1")
    assert status == 1
    assert output.strip().endswith("block-01.zip: measured already")


def test_a_full_disk_keeps_what_was_finished(project):
    """The campaign's folder is a file system of a few hundred kilobytes."""
    shutil.copy(HERE / "small.yaml", project.folder / "config/scenarios/small.yaml")
    (project.folder / "data/raw/full").mkdir(parents=True)
    script = (
        "mount -t tmpfs -o size=300k tmpfs data/raw/full && "
        "remeasure measure full small 1 --profile smoke; "
        "echo status $?; ls -d data/raw/full/small/* data/raw/full/small/*/trials/*"
    )
    status, output = project.run(
        "unshare", "--user", "--map-root-user", "--mount", "bash", "-c", script
    )
    assert "status 1" in output, output
    assert "No space left on device; finished trials are kept in" in output
    left = output.partition("status 1")[2].split()
    assert "data/raw/full/small/block-01.staging/trials/0001" in left, output
    assert not any(name.endswith(".zip") for name in left)


@pytest.fixture(scope="module")
def trials(shared_project):
    """Trials of ftp.yaml: three that are left alone, three that something is done to."""
    status, output = shared_project.run(
        sys.executable, str(HERE / "trials.py"), str(shared_project.folder / "trials")
    )
    assert status == 0, output
    return json.loads(output.splitlines()[-1])


@pytest.mark.parametrize(
    ("name", "proofs"),
    [
        (
            "none",
            {
                "left: SAs and policies",
                "right: SAs and policies",
                "files: left: packets received on wire",
            },
        ),
        (
            "ah",
            {
                "left: CHILD_SA protocol",
                "right: CHILD_SA mode",
                "left: CHILD_SA integ-alg",
                "files: left: packets of the inbound SA",
            },
        ),
        ("lossy", {"right.wire: netem", "right.wire: rate (bit/s)"}),
    ],
)
def test_transfers_prove_their_treatment(trials, name, proofs):
    record = trials[name]
    assert record["verdict"] != "rejected", record["reasons"]
    assert proofs <= {check["name"] for check in record["checks"]}
    found = {check["name"]: check["found"] for check in record["checks"]}
    if name == "ah":
        assert (found["left: CHILD_SA protocol"], found["right: CHILD_SA mode"]) == (
            "AH",
            "TRANSPORT",
        )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cut-short", "files-01.txt:2: found 'exit code "),
        (
            "altered",
            "files-01.sha256.txt:2: found '0002.jpg: FAILED', expected file 2 as it was sent",
        ),
        ("barred", "establishing CHILD_SA 's2s' failed"),
    ],
)
def test_a_trial_that_went_wrong_is_rejected_for_that_reason(trials, name, reason):
    assert trials[name]["verdict"] == "rejected"
    assert reason in trials[name]["reasons"][0]
    assert len(trials[name]["reasons"]) == 1


def test_a_further_suite_is_one_line(project):
    """A line in the scenario of the sweep, and the suite is measured and in the tables. The other
    suites and most flows are left out here for the sake of time."""
    path = project.folder / "config/scenarios/algorithm-sweep.yaml"
    text = path.read_text()
    before = "    aes128gcm16: {tunnel: {esp: aes128gcm16}}"
    assert before in text
    text = text.replace(before, "    new: {tunnel: {esp: aes256gcm16}}\n" + before)
    text = text.replace("suite: [none, des-md5, 3des-sha1, aes128gcm16]", "suite: [none, new]")
    path.write_text(text.replace("[64, 1344, 1472]", "[512]"))
    status, output = project.run(
        "remeasure", "measure", "t", "algorithm-sweep", "1", "--profile", "smoke"
    )
    assert status == 0, output
    archive = BlockArchive(project.folder / "data/raw/t/algorithm-sweep/block-01.zip")
    records = {t.record["cell"]["suite"]: t.record for t in archive.trials}
    assert set(records) == {"none", "new"}
    assert records["new"]["verdict"] != "rejected", records["new"]["reasons"]
    proof = {check["name"]: check["found"] for check in records["new"]["checks"]}
    assert (proof["gw1: CHILD_SA encr-alg"], proof["gw1: CHILD_SA encr-keysize"]) == (
        "AES_GCM_16",
        "256",
    )
    flows = {
        (row["suite"], row["transport"], row["load"])
        for row in observation_rows(archive)
        if row["metric"] == "goodput" and row["probe"] == "flow"
    }
    assert len(flows) == 8
