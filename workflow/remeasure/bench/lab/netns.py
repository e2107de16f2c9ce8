"""Back end netns: a host is a set of namespaces of the running kernel, with its own SSH server.

Hosts share the machine's kernel, processors and programs. Each host has its own:

  network namespace    the ends of its links, SAs and policies, queueing disciplines
  mount namespace      /run, /tmp, /etc/swanctl, /etc/strongswan.d
  PID, UTS namespaces  its daemons, which end with the namespace; its name
"""

import os
import shlex
import subprocess
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.affinity import usable_cores
from remeasure.bench.lab.commands import run_ip
from remeasure.bench.lab.guest import End, Guest
from remeasure.bench.lab.kind import BackendKind
from remeasure.bench.lab.veth import VethNetwork
from remeasure.bench.testbed.borrowing.namespace_setup import OWN_FILES, OWN_NETWORK, REAP
from remeasure.bench.testbed.tools import Tool
from remeasure.bench.testbed.wait import wait_until

_INTERFACE = "veth"
_NETWORK_LIMIT_S = 10
_TOOLS = {
    "sshd": Tool(["/usr/sbin/sshd", "-V"], "openssh-server"),
    "unshare": Tool(["unshare", "--version"], "util-linux"),
    "ethtool": Tool(["ethtool", "--version"], "ethtool"),
}
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
# The script waits for its interfaces, which are moved in once the host's namespace exists.
_INIT = f"""\
{OWN_FILES}
mkdir -p /run/sshd /run/lab
tar -xf seed.tar -C /run/lab
{OWN_NETWORK}
{wait_until(f"[ -e /sys/class/net/{_INTERFACE}$1 ]", "exit 1", steps=200, pause_s=0.02)}
sh -e /run/lab/network.sh
/usr/sbin/sshd -f /dev/null -h /run/lab/ssh_host_ed25519_key \\
  -o UsePAM=no -o UseDNS=no -o PasswordAuthentication=no -o MaxSessions=50 -o StrictModes=no \\
  -o AuthorizedKeysFile=/run/lab/authorized_keys -o PidFile=none
echo LAB-READY
"""
"""script of the host's first process; its argument is the number of the last interface"""


class NetnsHost(Guest):
    """A host made of namespaces. It has the processors that it is started on."""

    def command(self, ends: list[End]) -> list[str]:
        script = shlex.join(["sh", "-e", "-c", _INIT, "sh", str(len(ends) - 1)])
        return ["unshare", *_SPACES, "sh", "-c", f"{script} || echo LAB-FAILED; {REAP}"]

    def start(self, ends: list[End], seed: dict[str, str]) -> None:
        super().start(ends, seed)
        self.wait_until(self._has_its_network, _NETWORK_LIMIT_S)
        run_ip(
            *(
                f"link set {end} netns {self.process} name {_INTERFACE}{i}"
                for i, end in enumerate(ends)
            )
        )

    def _has_its_network(self) -> bool:
        try:
            theirs = Path(f"/proc/{self.process}/ns/net").readlink()
        except FileNotFoundError:  # the process ended
            return False
        return theirs != Path("/proc/self/ns/net").readlink()


def root_options() -> list[str]:
    """Options of unshare(1) that make this process root of its own namespaces, unless it is root
    already.

    The user namespace needs several users, because sshd changes to another user before a login.
    Raises UserError.
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


KIND = BackendKind(
    name="netns",
    prepare=lambda memory_mib, wanted: NetnsHost,
    network=VethNetwork,
    interface=_INTERFACE,
    boot_limit_s=20,
    own_kernel=False,
    has_image=False,
    default_cpus=lambda: len(usable_cores()),
    root_options=root_options,
    tools=_TOOLS,
    programs=frozenset({"ip"}),
    modules={"veth": "VETH"},
)
