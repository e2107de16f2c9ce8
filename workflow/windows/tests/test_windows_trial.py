"""The whole driver against SSH servers of our own that answer as documented (windows_server.py)."""

import json
import re
from pathlib import Path

import pytest
import yaml
from windows_server import SWEEP, Windows

from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.plan import Task, probe_order
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.measure import block as measure
from remeasure.bench.measure import trial as measure_trial
from remeasure.bench.measure.block import measure_block
from remeasure.bench.testbed.remote import CommandFailed, HostUnreachable
from remeasure.paper.tidy.rows import observation_rows, trial_rows
from remeasure.paper.tidy.tables import write_tables
from remeasure_windows.flows import all_steps, on_windows
from remeasure_windows.plan import Plan
from remeasure_windows.powershell import WindowsRemote
from remeasure_windows.system import WindowsMachines

STEPS_AFTER = ["remove our rules", "remove the work folder", "state of IPsec"]


class Trial:
    """One trial on the answering hosts, and its result."""

    def __init__(self, windows: Windows, folder: Path, suite: str = "des-md5"):
        self.windows, self.folder = windows, folder / f"trial-{suite}"
        self.folder.mkdir()
        cell = {"suite": suite}
        windows.cell = SWEEP.settings(cell).tunnel
        hosts = WindowsMachines(windows.inventory(), SWEEP.topology)
        credentials = Credentials(folder / "secrets")
        self.secret = credentials.secret("psk")
        task = Task(SWEEP, cell, probe_order(SWEEP, 1, 1, cell), 1, credentials)
        with hosts:
            driver = hosts.driver(task, hosts._remotes)
            run = measure_trial.Trial(task, self.folder, driver, hosts.meter)
            self.record = run.run(lambda name, seconds: None)

    @property
    def reasons(self) -> str:
        return "\n".join(self.record["reasons"])


def cleaned(windows: Windows, without: str | None = None) -> None:
    """Clean-up reached every host (but one), last of all, and left nothing."""
    for role, machine in windows.machines.items():
        if role == without:
            continue
        last = [re.sub(r" \(.*", "", step) for step in machine.steps]
        assert last[-3:] == STEPS_AFTER, role
        assert not machine.folder and not machine.servers, role


@pytest.mark.parametrize("suite", ["des-md5", "aes128gcm16", "none"])
def test_a_whole_trial_is_accepted_and_leaves_nothing(windows, suite, tmp_path):
    trial = Trial(windows, tmp_path, suite)
    assert (trial.record["verdict"], trial.reasons) == ("accepted", "")
    assert len(trial.record["logs"]) == 2 * len(SWEEP.settings({"suite": suite}).probes)
    cleaned(windows)
    assert [machine.rules for machine in windows.machines.values()] == [[]] * 4
    names = [check["name"] for check in trial.record["checks"]]
    assert sum("rate (bit/s)" in name for name in names) == 6
    assert ("gw1: CHILD_SA encr-alg" in names) == (suite != "none")
    assert ("client1: SAs and policies" in names) and any("bytes received on" in n for n in names)


def test_a_trial_runs_what_its_dry_run_prints(windows, tmp_path):
    Trial(windows, tmp_path)
    hosts = {role: windows.inventory().host(role) for role in SWEEP.topology.hosts}
    plan = Plan(SWEEP.settings({"suite": "des-md5"}), SWEEP.topology, hosts)
    probes = on_windows(probe_order(SWEEP, 1, 1, {"suite": "des-md5"}))
    planned = {(step.role, step.text) for _, step in all_steps(plan, probes)}
    ran = {(role, text) for role, machine in windows.machines.items() for text, _ in machine.ran}
    assert ran == planned


def test_the_secret_is_on_two_hosts_and_in_no_record_or_file(windows, tmp_path):
    trial = Trial(windows, tmp_path)
    had = {role: {secret for _, secret in m.ran} - {""} for role, m in windows.machines.items()}
    own = {trial.secret}
    assert had == {"client1": set(), "gw1": own, "gw2": own, "client2": set()}
    assert trial.secret not in json.dumps(trial.record)
    for path in trial.folder.iterdir():
        assert trial.secret not in path.read_text(), path


def test_a_secret_that_a_host_repeats_is_not_handed_on(windows, tmp_path):
    secret = Credentials(tmp_path / "secrets").secret("psk")
    step = "set up the tunnel of gw1 (NetSecurity)"
    windows.wrong["gw1", step] = lambda text: ("", f"bad key {secret}", 1)
    trial = Trial(windows, tmp_path)
    assert trial.reasons == "pc-gw1: set up the tunnel of gw1 (NetSecurity): bad key $Secret"
    cleaned(windows)


def other_cipher(windows: Windows):
    def answer(text: str):
        said = windows._do_state_of_IPsec("gw2", text)
        return said.replace('"DES"', '"DES3"'), "", 0

    windows.wrong["gw2", "state of IPsec (NetSecurity)"] = answer


def slow_card(windows: Windows):
    windows.speed = 10_000_000


def plain_packets(windows: Windows):
    """Traffic that goes past the tunnel: too few bytes for its headers."""
    normal = windows._carry

    def carry(sender, receiver, flow):
        tunnel, windows.cell = windows.cell, None
        try:
            return normal(sender, receiver, flow)
        finally:
            windows.cell = tunnel

    windows._carry = carry


def says(role: str, step: str, output: str = "", error: str = ""):
    """Set a host's answer to a step."""

    def change(windows: Windows):
        windows.wrong[role, step] = lambda text: (output, error, int(bool(error)))

    return change


STATE, REMOVE = "state of IPsec (NetSecurity)", "remove our rules (NetSecurity)"
NO_SA = "=== rules\nremeasure-tunnel\n=== ours\n=== quick mode\n[]\n=== main mode\n[]\n"
ERROR = "ITGSend.exe: exit 1: ** ERROR_TERMINATE **\r\n"
LOST = "no answer from 192.168.20.1 through the tunnel"
LEFT = "gw2: found remeasure-tunnel, expected nothing that remeasure made"


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (other_cipher, "gw2: CHILD_SA encr-alg: found 3DES_CBC, expected DES_CBC"),
        (slow_card, r"gw1.wan: rate \(bit/s\): found 10000000, expected 100000000"),
        (
            plain_packets,
            r"flow.udp.\S+: gw2: bytes received on to wan: found \d+, expected at least",
        ),
        (says("gw1", STATE, NO_SA), "gw1: CHILD_SAs in: found 0, expected 1 or more"),
        (
            says("gw1", STATE, "rien\n"),
            "gw1: state of IPsec: no line '=== ...' in the host's answer: 'rien",
        ),
        (says("gw2", REMOVE), f"cleaning up: {LEFT}"),
        (says("client1", "bring the tunnel up", "", LOST), f"client1: bring the tunnel up: {LOST}"),
        (
            says("client1", "send a flow", "", ERROR),
            r"pc-client1: send a flow: ITGSend.exe: exit 1: \*\* ERROR_TERMINATE \*\*",
        ),
        (
            says("client2", "decode a flow", "ITGDec version 2.8.1 (r1023)\n"),
            r"clock_there-01.txt:1: found 'ITGDec version.* lines of a summary",
        ),
    ],
)
def test_a_wrong_answer_rejects_the_trial_with_a_clear_reason(windows, tmp_path, wrong, reason):
    wrong(windows)
    trial = Trial(windows, tmp_path)
    assert trial.record["verdict"] == "rejected"
    assert re.search(reason, trial.reasons), trial.reasons
    assert all("\n" not in line for line in trial.record["reasons"])
    if LEFT in reason:
        assert windows.machines["gw2"].rules
    else:
        cleaned(windows)


def test_a_rule_that_an_earlier_run_left_is_removed_first(windows, tmp_path):
    windows.machines["gw1"].rules = ["remeasure-tunnel", "the user's own"]
    trial = Trial(windows, tmp_path, "none")
    assert trial.reasons == ("gw1: SAs and policies: found rule the user's own, expected none")
    assert windows.machines["gw1"].rules == ["the user's own"]


def test_a_host_that_is_lost_ends_the_block_and_the_others_are_cleaned(windows, tmp_path):
    def gone(text):
        for transport in windows._transports:
            if transport.server_object._role == "client2":
                transport.close()
        return "", "", 0

    windows.wrong["client1", "send a flow"] = gone
    with pytest.raises(HostUnreachable, match=r"host pc-client2 .*connection lost"):
        Trial(windows, tmp_path)
    for role in ("client1", "gw1", "gw2"):
        assert windows.machines[role].rules == []
    cleaned(windows, without="client2")


def test_a_script_that_does_not_end_is_one_line(windows):
    remote = WindowsRemote(windows.inventory().host("gw1"))
    windows.wrong["gw1", "a long one"] = lambda text: __import__("time").sleep(1) or ("", "", 0)
    with pytest.raises(CommandFailed, match=r"^pc-gw1: no end after 0.2 s: a long one$"):
        remote.run("# remeasure: a long one\n", timeout=0.2)
    remote.close()


@pytest.fixture
def campaign(windows, tmp_path, monkeypatch):
    """A block to measure on them, into a folder of its own."""
    monkeypatch.setattr("remeasure.bench.campaign.folder.RAW", tmp_path / "raw")
    monkeypatch.setattr("remeasure.bench.campaign.folder.load_scenario", lambda *_: SWEEP)
    monkeypatch.setattr(measure, "SECRETS", tmp_path / ".secrets")
    monkeypatch.setattr(measure, "software_commit", lambda: "none")
    monkeypatch.setattr(measure, "choose_scenario", lambda *_: SWEEP)
    monkeypatch.setattr(measure, "load_testbed", lambda name: windows.inventory())
    carry = windows._carry

    def of_this_cell(sender, receiver, flow):
        rule = windows.machines["gw1"].suite
        suites = {
            ("MD5", "DES"): "des-md5",
            ("SHA1", "DES3"): "3des-sha1",
            ("AESGMAC128", "AESGCM128"): "aes128gcm16",
        }
        windows.cell = SWEEP.settings({"suite": suites[rule]}).tunnel if rule else None
        return carry(sender, receiver, flow)

    monkeypatch.setattr(windows, "_carry", of_this_cell)
    return measure.BlockOrder("answering", "algorithm-sweep", 1, "smoke", "answering-windows", 1)


def test_a_block_becomes_an_archive_and_tables_as_any_other(campaign, tmp_path, windows):
    path = measure_block(campaign)
    archive = BlockArchive(path)
    (session,) = archive.block["sessions"]
    assert session["hosts"]["gw1"]["os"] == "Microsoft Windows Server 2019 Standard"
    assert session["hosts"]["gw1"]["tools"] == {"d-itg": "ITGDec version 2.8.1 (r1023)"}
    assert session["hosts"]["gw1"]["offloads"]["wan"] == {"*LsoV2IPv4": "1"}
    assert abs(session["hosts"]["gw1"]["clock_offset_s"]) < 1
    assert "127.0.0.1" not in json.dumps(archive.block)
    assert {(row["verdict"], row["backend"]) for row in trial_rows(archive)} == {
        ("accepted", "ssh")
    }
    rows = list(observation_rows(archive))
    assert {row["tool"] for row in rows} == {"ditg"}
    levels = ("suite", "transport", "load", "payload")
    flows = {tuple(row[level] for level in levels) for row in rows if row["probe"] == "flow"}
    assert len(flows) == 2**3
    write_tables([path], tmp_path / "tidy")
    frozen = yaml.safe_load((tmp_path / "raw/answering/campaign.yaml").read_text())
    assert frozen["testbed"]["hosts"][0]["os"] == "windows"
    cleaned(windows)
