"""Run inside a lab's namespaces: measures psk-rsa on full systems, as a reader would on machines of
their own. Prints what came of it, as JSON."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import systems
import yaml

from remeasure.bench.base.paths import CONFIG, RAW, ROOT
from remeasure.bench.base.topology import load_topology
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.lab import namespace
from remeasure.bench.lab.lab import Lab
from remeasure.bench.testbed.inventory import Inventory
from remeasure.bench.testbed.remote import CommandFailed, Remote, at_once
from remeasure.bench.testbed.roles import root_of

HERE = Path(__file__).parent
ORDER = ["psk-rsa", "1", "--profile", "smoke", "--testbed", "mine"]
SETTLE_S = 60
"""time within which a machine must be as it was after the measuring job was killed [s]"""


def one_trial() -> None:
    """Leave one cell of the scenario: RSA on the normal network."""
    path = ROOT / "notebooks/psk_rsa/scenario.yaml"
    whole = path.read_text()
    text = whole.replace("smoke: {auth: [psk, rsa]}", "smoke: {auth: [rsa], network: [normal]}")
    assert text != whole
    path.write_text(text)


def remeasure(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(["remeasure", *arguments], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def measured_until_accepted() -> list[list[str]]:
    """The reasons why trials were not accepted, one list a trial, until the first that was. A
    gateway that another test keeps from its core drops packets, and the trial is rejected."""
    reasons = []
    for campaign in ("mine-1", "mine-2", "mine-3"):
        status, output = remeasure("measure", campaign, *ORDER)
        assert status == 0, output
        (trial,) = BlockArchive(RAW / campaign / "psk-rsa/block-01.zip").trials
        reasons.append(trial.record["reasons"])
        if trial.record["verdict"] == "accepted":
            break
    return reasons


def states(remotes: dict[str, Remote]) -> dict[str, list[str]]:
    """What can be seen of each machine."""
    script = (HERE / "state.sh").read_text()
    texts = at_once(lambda one: one.run(script, timeout=200, check=False), remotes.values())
    return {name: text.splitlines() for name, text in zip(remotes, texts, strict=True)}


def differences(before: dict[str, list[str]], after: dict[str, list[str]]) -> list[str]:
    found = []
    for name, lines in before.items():
        found += [f"{name}: - {line}" for line in lines if line not in set(after[name])]
        found += [f"{name}: + {line}" for line in after[name] if line not in set(lines)]
    return found


def kill_in_the_middle(remotes: dict[str, Remote]) -> None:
    """Kill a measuring job while its tunnel is up and traffic flows."""
    job = subprocess.Popen(
        ["remeasure", "measure", "killed", *ORDER],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    remotes["client1"].run("until pgrep -x iperf3 >/dev/null; do sleep 0.2; done", timeout=400)
    job.kill()
    job.wait()


def refused(remotes: dict[str, Remote], fault: dict) -> str:
    """What is said while a machine has a fault."""
    remote = remotes[fault["host"]]
    here = f"set -- {next(iter(remote.host.interfaces.values()))}"
    remote.run(f"{here}; {fault['make']}", timeout=60)
    status, output = remeasure("measure", "refused", *ORDER)
    for _ in range(30):  # one who is refused by sudo has to wait
        try:
            remote.run(f"{here}; {fault.get('mend', 'true')}", timeout=60)
            break
        except CommandFailed:
            time.sleep(2)
    return output.strip() if status else "measured"


namespace.enter()
os.chdir(sys.argv[1])
topology = load_topology("site-to-site")
faults = yaml.safe_load((HERE / "faults.yaml").read_text())
one_trial()
start = time.monotonic()
with Lab(topology, systems.backend(topology)) as lab:
    found: dict = {"seconds": {"boot": time.monotonic() - start}}
    inventory = systems.inventory_of(lab.hosts, topology)
    (CONFIG / "testbeds/mine.yaml").write_text(yaml.safe_dump(inventory, sort_keys=False))
    machines = Inventory.model_validate({"name": "mine", **inventory})
    remotes = {host.roles[0]: Remote(host, root_of(host)) for host in machines.hosts}
    owner = (HERE / "owner.sh").read_text()

    def possess(role: str) -> None:
        interface = next(iter(remotes[role].host.interfaces.values()))
        remotes[role].run(f"set -- {interface}; {owner}", timeout=100)

    at_once(possess, remotes)
    before = states(remotes)
    found["check"] = remeasure("check", "mine", "--scenario", "psk-rsa")
    found["measured"] = measured_until_accepted()
    found["after"] = differences(before, states(remotes))
    found["refused"] = {what: refused(remotes, fault) for what, fault in faults.items()}
    found["refused and left"] = differences(before, states(remotes))
    kill_in_the_middle(remotes)
    for _ in range(SETTLE_S // 5):
        time.sleep(5)
        found["killed"] = differences(before, states(remotes))
        if not found["killed"]:
            break
    found["seconds"]["all"] = time.monotonic() - start
print(json.dumps(found))
