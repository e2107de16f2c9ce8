"""Grounds whose machine a fault may spoil: commands run in namespaces of their own. Labs of other
scenarios than `small`, plain."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
import yaml
from injections.files import change
from projects import ROOT, Project, commit_all
from rounds_project import add_rounds

from grounds import GROUNDS, PROGRAMS, LabGround, Said
from remeasure.bench.base.paths import CACHE
from remeasure.bench.lab.image import get_image


class Machine(LabGround):
    """A lab on a machine of its own: a mount namespace, in which lines of sh (injection `machine`)
    run before the command, or after it, and may hide, replace or limit any part of this machine."""

    spaces = ("--mount",)

    def prepare(self) -> None:
        if os.geteuid():
            pytest.skip("only root may mount over files of this machine")
        super().prepare()
        self.lines: list[str] = []
        self.lines_after: list[str] = []
        folder = self.project.folder.parent
        self.script = folder / "machine.sh"
        self.names |= {"image": str(get_image().folder), "cache": str(CACHE)}

    def run(self, command: list[str], **options) -> Said:
        after = ['"$@" || status=$?', *self.lines_after, "exit $status"]
        last = after if self.lines_after else ['exec "$@"']
        self.script.write_text("\n".join([*self.lines, *last, ""]))
        return super().run(
            ["unshare", *self.spaces, "sh", "-e", str(self.script), *command], **options
        )

    def sabotage_no_more(self) -> None:
        super().sabotage_no_more()
        self.lines.clear()
        self.lines_after.clear()


class Network(Machine):
    """A machine with a loopback interface and nobody else, on which OpenSSH's server stands for the
    hosts of testbed `machines`; scenario `pair` is to be measured on them. It has users of its own:
    root, and `tester` who may not become root."""

    spaces = ("--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")
    inventory = "config/testbeds/machines.yaml"

    def prepare(self) -> None:
        super().prepare()
        sshd = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
        if not sshd:
            pytest.skip("sshd is not on this machine")
        self.ssh = ssh = self.project.folder.parent / "ssh"
        self.names |= {"ssh": str(ssh), "listener": str(PROGRAMS / "listener.py")}
        ssh.mkdir()
        (ssh / "config").touch()
        # Keys are looked for by a user who may enter no folder of root's.
        ssh.chmod(0o755)
        for name in ("host", "other", "user"):
            _make_key(ssh / name)
        host_key = " ".join((ssh / "host.pub").read_text().split()[:2])
        login = {"address": "127.0.0.1", "port": 2222, "key": str(ssh / "user")}
        hosts = [
            {"name": f"machine-{role}", "roles": [role], "interfaces": {"wire": f"eth-{role}"}}
            | login
            | {"host_key": host_key}
            for role in ("left", "right")
        ]
        inventory = yaml.safe_dump({"backend": "ssh", "hosts": hosts})
        (self.project.folder / self.inventory).write_text(inventory)
        _add_pair(self.project.folder)
        self.lines += [
            "ip link set lo up",
            "mount -t tmpfs tmpfs /run && mkdir -p /run/sshd",
            f"printf '%s\\n' tester:x:4242:4242::/:/bin/sh >{ssh}/tester",
            f"cat /etc/passwd {ssh}/tester >{ssh}/passwd; mount --bind {ssh}/passwd /etc/passwd",
            f"printf '%s\\n' 'root:*:1::::::' 'tester:*:1::::::' >{ssh}/shadow",
            f"mount --bind {ssh}/shadow /etc/shadow",
            f"cp {ssh}/user.pub /run/authorized_keys; chmod 644 /run/authorized_keys",
            f"{sshd} -f {ssh}/config -h {ssh}/host -p 2222 -o UsePAM=no -o UseDNS=no"
            " -o StrictModes=no -o AuthorizedKeysFile=/run/authorized_keys -o PidFile=none",
        ]


def _make_key(path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)


def _add_pair(folder: Path) -> None:
    """Scenario `pair`: one trial between two hosts."""
    ping = {"probe": "ping", "source": "left", "target": "right", "count": 5, "interval": 0.2}
    document = {"study": "none", "title": "Two hosts", "topology": "host-to-host", "blocks": 1}
    document |= {"factors": {"network": {"plain": {}}}, "probes": {"latency": ping}}
    (folder / "notebooks/pair").mkdir()
    (folder / "notebooks/pair/scenario.yaml").write_text(yaml.safe_dump(document, sort_keys=False))


class RoundsGround(Machine):
    """A campaign of two rounds, of which the first is measured."""

    def __init__(self, folder: Path, shared: Path):
        self.shared = shared
        super().__init__(folder, shared)

    def prepare(self) -> None:
        super().prepare()
        add_rounds(self.project)
        raw = self.project.folder / "data/raw/mine"
        shutil.copytree(_first_round(self.shared), raw)
        plan = yaml.safe_load((raw / "campaign.yaml").read_text())["rounds"]["blocks"]
        scenario, number = plan[0][0].split("/")
        self.block = raw / scenario / f"block-0{number}.zip"


@cache
def _first_round(shared: Path) -> Path:
    """A campaign after its first round, once for each process that runs tests."""
    project = Project(shared / "first-round")
    shutil.copytree(shared / "pristine", project.folder, symlinks=True)
    add_rounds(project)
    commit_all(project.folder)
    command = ("remeasure", "round", "mine", "--profile", "rounds", "--wait", "5")
    status, output = project.run(*command)
    assert status == 0, output
    return project.folder / "data/raw/mine"


class RadiusGround(LabGround):
    """Authentications by EAP-MD5, of which a RADIUS server decides."""

    scenario = ROOT / "tests/measure/eap.yaml"
    cell = {"method": "md5"}
    probes = ("direct",)

    def prepare(self) -> None:
        super().prepare()
        # Enough to last until they meet the fault.
        change(self, {"notebooks/eap/scenario.yaml": {"probes.direct.count": 300}})


class FlowsGround(LabGround):
    """Flows of D-ITG through a tunnel between two hosts."""

    scenario = ROOT / "tests/measure/flows.yaml"
    cell = {"suite": "modern"}
    probes = ("flow",)


class RenewalsGround(LabGround):
    """A tunnel that is renewed once under traffic."""

    scenario = ROOT / "tests/measure/renewed.yaml"
    cell = {"renewal": "child"}


GROUNDS |= {
    "machine": Machine,
    "network": Network,
    "rounds": RoundsGround,
    "lab-radius": RadiusGround,
    "lab-flows": FlowsGround,
    "lab-renewals": RenewalsGround,
}
