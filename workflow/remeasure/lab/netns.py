"""A host that is a few namespaces of the running kernel, with an SSH server of its own.

the machine's kernel, its processors and its programs; of this host alone:
  network namespace    the ends of the links, SAs and policies, queueing disciplines
  mount namespace      /run, /tmp, /etc/swanctl, /etc/strongswan.d
  PID, UTS namespaces  its daemons end with it; its name
"""

import os
import shlex
import subprocess
import time
from pathlib import Path

from remeasure.errors import UserError
from remeasure.lab.commands import run_ip
from remeasure.lab.guest import End, Guest
from remeasure.testbed.namespace_setup import OWN_FILES, OWN_NETWORK, REAP
from remeasure.testbed.wait import wait_until

INTERFACE = "veth"
TOOLS = {
    "sshd": ["/usr/sbin/sshd", "-V"],
    "unshare": ["unshare", "--version"],
    "ethtool": ["ethtool", "--version"],
}
"""what such a host takes beside the tools of a scenario"""
MODULES = {"veth": "VETH"}
_SPACES = [
    "--net",
    "--mount",
    "--pid",
    "--uts",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "--propagation",
    "private",
]
# Its interfaces are given to it when it is there.
_INIT = f"""\
{OWN_FILES}
mkdir -p /run/sshd /run/lab
tar -xf seed.tar -C /run/lab
{OWN_NETWORK}
{wait_until(f"[ -e /sys/class/net/{INTERFACE}$1 ]", "exit 1", steps=200, pause_s=0.02)}
sh -e /run/lab/network.sh
/usr/sbin/sshd -f /dev/null -h /run/lab/ssh_host_ed25519_key \\
  -o UsePAM=no -o UseDNS=no -o PasswordAuthentication=no -o MaxSessions=50 -o StrictModes=no \\
  -o AuthorizedKeysFile=/run/lab/authorized_keys -o PidFile=none
echo LAB-READY
"""
"""its argument is the number of the last interface"""


class NetnsHost(Guest):
    """`cpus` are the processors that its processes may run on: the first of those that we may run
    on, the same for every host."""

    def __init__(self, name: str, folder: Path, cpus: int):
        super().__init__(name, folder)
        self._cpus = cpus

    def command(self, ends: list[End]) -> list[str]:
        script = shlex.join(["sh", "-e", "-c", _INIT, "sh", str(len(ends) - 1)])
        ours = sorted(os.sched_getaffinity(0))  # of a machine, or what a cpuset leaves of it
        first = ",".join(map(str, ours[: self._cpus]))
        pinned = ["taskset", "-c", first] if self._cpus < len(ours) else []
        return [*pinned, "unshare", *_SPACES, "sh", "-c", f"{script} || echo LAB-FAILED; {REAP}"]

    def start(self, ends: list[End], seed: dict[str, str]) -> None:
        super().start(ends, seed)
        while not self._has_its_network():
            self.check_alive()
            time.sleep(0.005)
        run_ip(
            *(
                f"link set {end} netns {self.process} name {INTERFACE}{i}"
                for i, end in enumerate(ends)
            )
        )

    def _has_its_network(self) -> bool:
        try:
            theirs = os.readlink(f"/proc/{self.process}/ns/net")
        except FileNotFoundError:  # it ended
            return False
        return theirs != os.readlink("/proc/self/ns/net")


def root_options() -> list[str]:
    """Options of unshare that make us root of our own namespaces, if we are not root already.

    A user namespace needs more users than one, for sshd becomes another before anybody has logged
    in. Raises UserError.
    """
    if os.geteuid() == 0:
        return []
    options = ["--user", "--map-root-user", "--map-auto"]
    probe = subprocess.run(["unshare", *options, "true"], capture_output=True, text=True)
    if probe.returncode:
        raise UserError(
            "netns: this machine gives you no user namespace with several users "
            f"({probe.stderr.strip()}); run as root, or give yourself a range in "
            "/etc/subuid and /etc/subgid (newuidmap, package uidmap)"
        )
    return options
