"""A pair of configurations in a guest in virtual time: its files, daemons, SAs and logs."""

from __future__ import annotations

import copy
import datetime
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from threading import Event
from typing import Any, Self

from remeasure.bench.base.errors import UserError
from remeasure.bench.ipsec import vici
from remeasure.bench.ipsec.control import INITIATE_LIMIT_S
from remeasure.bench.ipsec.sas import in_use, read_list_sas, read_xfrm_state
from remeasure.bench.ipsec.swanctl import LOG
from remeasure.bench.lab.virtual.guest import GuestParts
from remeasure.bench.lab.virtual.virtual_lab import VirtualLab, virtual_remote
from remeasure.bench.probes.readers import charon_log
from remeasure.bench.testbed.compiled import get_program
from remeasure.bench.testbed.tools import fail, fail_showing, wait_until
from remeasure.bench.tryout import try_network
from remeasure.bench.tryout.ipsec_starter import MOUNTED, with_starter
from remeasure.bench.tryout.pair import LEGACY_CONF, PID, WHOLE, End, Pair

PROGRAM = "/run/remeasure-flow"
_QUICK = "/run/swanctl.conf"
_NEEDLESS = (
    "pkcs11 tpm test-vectors curl ldap dhcp farp forecast ha tnc-tnccs eap-tnc xauth-pam lookip "
    "error-notify certexpire"
)
"""plugins that serve tokens, servers other than the peer, or listeners: no guest has any"""
_JOIN = f"""\
cd /etc/strongswan.d
rm -f {" ".join(f"charon/{name}.conf" for name in _NEEDLESS.split())}
exec >{WHOLE}
echo 'charon {{
load_modular = yes
plugins {{'
cat charon/*.conf
echo '}} }}'
cat *.conf
"""
"""joins strongswan.conf and its 80 includes, for a quick start; without needless plugins"""
SWANCTL = f"STRONGSWAN_CONF={_QUICK} swanctl"
"""swanctl, which starts in half the time without plugins; only keys and certificates need them"""
_START = f"""\
rm -f {vici.SOCKET}
STRONGSWAN_CONF={WHOLE} charon-systemd </dev/null >/run/charon.out 2>&1 &
echo $! >{PID}
{wait_until(f"[ -S {vici.SOCKET} ]", fail_showing("/run/charon.out"), steps=200)}
said=$({SWANCTL} --load-all --noprompt 2>&1)
case $said in *failed*|*rror*|*nvalid*) echo "$said" | grep -iE 'failed|error|invalid';; esac
"""
# Words of the shell: a guest is slow to start programs.
_END = f"""\
read -r pid <{PID} && kill -%s $pid && {{
{wait_until("[ ! -d /proc/$pid ]", fail("charon does not stop"))}
}}
"""
_DAEMON = f"""\
charon-systemd {{
  filelog {{
    lab {{
      path = {LOG}
      append = yes
      flush_line = yes
      time_format = %Y-%m-%dT%H:%M:%S
      time_precision = us
      default = 1
    }}
  }}
}}
"""
_NO_PLUGINS, _ALL_PLUGINS = "swanctl {\n  load = nonce\n}\n", f"include {WHOLE}\n"
_FOLDERS = "private x509 x509ca x509aa x509crl x509ocsp x509ac pubkey rsa ecdsa pkcs8 pkcs12 conf.d"
_INSTALLED = wait_until('[ "$(ip xfrm state count)" != "SAD count 0" ]', "exit 1", 200, 0.2)
_MEMORY_MIB = 256
"""memory of a guest [MiB]; five hosts with two daemons use a third of it"""
_ENTRY_NS = 100
"""time that a system call takes [ns]: strongSwan 5.9 polls until another of its threads has run,
which without time never would"""


@dataclass(frozen=True)
class Way:
    """The network between the ends."""

    rtt_ms: float = 50
    mtu: int = 1500
    loss_percent: float = 0
    rate_mbit: float = 0
    """traffic that meets the anti-replay window [Mbit/s]; 0: not asked"""
    jitter_ms: float = 0


class RunningPair:
    """One guest. Times are virtual [s since the epoch]."""

    start_lines, stop_lines, kill_lines = _START, _END % "TERM", _END % "KILL"
    forget_lines = "printf 'xfrm state flush\nxfrm policy flush\n' | ip -batch -\n"
    """lines for a gateway: start its daemon, end it, kill it, make the kernel forget its SAs"""

    def __init__(
        self,
        parts: GuestParts,
        pair: Pair,
        way: Way,
        guarded: bool,
        seed: str,
        needless: Event | None = None,
    ):
        """`pair` is copied: virtual addresses and moves belong to one guest. `needless`: set once
        nobody needs the answer. Raises UserError."""
        self.pair, self.way, self._guarded = copy.deepcopy(pair), way, guarded
        self._needless = needless or Event()
        if any(LEGACY_CONF in end.files for end in pair.ends):
            lines = with_starter(self.start_lines, self.stop_lines, self.forget_lines)
            self.start_lines, self.stop_lines, self.forget_lines = lines
        self._listed: dict[str, str] = {}
        topology = try_network.try_topology()
        plain = {*topology.hosts} - {end.name for end in pair.ends}
        self._lab = VirtualLab(topology, parts, _MEMORY_MIB, _ENTRY_NS, seed, pair.begin_s, plain)
        self.remotes = {
            name: virtual_remote(topology, name, lambda: self._lab) for name in topology.hosts
        }
        self.initiator = _initiator(self.pair)

    def __enter__(self) -> Self:
        try:
            self._set_up_network()
        except BaseException:
            self._lab.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._lab.close()

    def sh(self, host: str, script: str, limit_s: float = 120, check: bool = True) -> str:
        """Output of lines for a host's shell. Raises CommandFailed, or UserError if nobody needs
        it."""
        if self._needless.is_set():
            raise UserError("the answer is not needed any more")
        self._listed = {}
        return self.remotes[host].run(script, timeout=limit_s, check=check)

    def now(self) -> float:
        return self._lab.now_ns() / 1e9

    def sleep_until(self, moment: float) -> None:
        """Let time pass."""
        if (left := moment - self.now()) > 0:
            self.sh(try_network.ROUTER, f"sleep {left:.6f}", left + 60)

    def sleep(self, seconds: float) -> None:
        self.sleep_until(self.now() + seconds)

    def _set_up_network(self) -> None:
        program, pair = get_program("flow").read_bytes(), self.pair
        self.sh(try_network.ROUTER, try_network.router_script(pair, self.way.mtu))
        for end in pair.ends:
            self.remotes[try_network.host_of(end)].write(PROGRAM, program)
            guard = try_network.guard_script(pair, end) if self._guarded else ""
            scripts = {
                f"behind{try_network.SIDES[end.name]}": try_network.behind_script(pair, end),
                end.name: try_network.gateway_script(pair, end) + guard,
            }
            scripts[try_network.host_of(end)] += f"chmod 700 {PROGRAM}\n"
            for host, script in scripts.items():
                self.sh(host, script)
            self._write_files(end)
        # A first packet should not wait for ARP behind the delay, which is no part of a real path.
        pings = [f"ping -q -c 1 -W 1 {end.outer} >/dev/null" for end in pair.ends]
        self.sh(try_network.ROUTER, "\n".join(pings), check=False)
        self.impair(0)

    def _write_files(self, end: End) -> None:
        files = {**end.files, "/etc/strongswan.d/zz-remeasure.conf": _DAEMON}
        files[_QUICK] = _ALL_PLUGINS if len(end.files) > 1 else _NO_PLUGINS
        folders = shlex.join({path.rpartition("/")[0]: None for path in files})
        own = MOUNTED if LEGACY_CONF in end.files else ""
        self.sh(end.name, f"{own}mkdir -p {folders}; cd /etc/swanctl; mkdir -p {_FOLDERS}")
        for path, text in files.items():
            self.remotes[end.name].write(path, text)
        self.sh(end.name, _JOIN)

    def impair(self, jitter_ms: float) -> None:
        """Give the path its delay and loss, and this jitter, both ways."""
        delay_ms, loss = self.way.rtt_ms / 2, self.way.loss_percent
        lines = [try_network.impairment(one, delay_ms, jitter_ms, loss) for one in self.pair.ends]
        self.sh(try_network.ROUTER, "\n".join(["tc -batch - <<.", *lines, "."]))

    # Daemons

    def start(self) -> dict[str, str]:
        """Start both daemons, the one that begins last; none remembers anything. Returns end ->
        swanctl's complaints; none of an end without any."""
        first, last = self.pair.peer(self.initiator), self.initiator
        fresh = f"{self.kill_lines}{self.forget_lines}"
        self.sh(last.name, fresh)
        said = {first.name: self.sh(first.name, fresh + self.start_lines)}
        said[last.name] = self.sh(last.name, self.start_lines)
        return {name: text.strip() for name, text in said.items() if text.strip()}

    def bring_up(self) -> str:
        """Set the tunnel up as the configurations do. Returns how it began: start, trap or hand."""
        end, peer = self.initiator, self.pair.peer(self.initiator)
        if "start" in end.starts:
            self.sh(end.name, _INSTALLED, check=False)
            return "start"
        if "trap" in end.starts and end.host and peer.host and not self.pair.only_set_up:
            ping = f"ping -q -c 1 -W 1 {peer.host} >/dev/null"
            host = try_network.host_of(end)
            self.sh(host, wait_until(ping, "exit 1", 12, pause_s=0), check=False)
            return "trap"
        options = ["--child", end.child, "--ike", end.connection]
        options += ["--timeout", str(INITIATE_LIMIT_S)]
        command = f"{SWANCTL} --initiate {shlex.join(options)} >/dev/null"
        self.sh(end.name, command, INITIATE_LIMIT_S + 30, check=False)
        return "hand"

    def up(self) -> bool:
        """Start and bring up. Returns whether the kernel of the end that begins then has SAs."""
        self.start()
        self.bring_up()
        said = self.sh(self.initiator.name, "sleep 1; ip xfrm state list nokeys")
        self.learn_virtual()
        return bool(said.strip())

    def is_up(self) -> bool:
        return all(self.children(end) for end in self.pair.ends)

    def list_sas(self, end: End) -> str:
        """Output of `swanctl --list-sas --raw`, asked for again once anything else was asked."""
        if end.name not in self._listed:
            listed = dict(self._listed)
            listed[end.name] = self.sh(end.name, f"{SWANCTL} --list-sas --raw", check=False)
            self._listed = listed
        return self._listed[end.name]

    def sas(self, end: End) -> list[dict[str, Any]]:
        """IKE_SAs of an end (`swanctl --list-sas`); none if its daemon does not run."""
        return read_list_sas(self.list_sas(end))

    def children(self, end: End) -> list[dict[str, Any]]:
        """CHILD_SAs that protect traffic."""
        return in_use(self.list_sas(end))[1]

    def learn_virtual(self) -> None:
        """Take virtual addresses over, once the tunnel is up."""
        for end in self.pair.ends:
            if end.host is None:
                peer = self.pair.peer(end)
                given = [one for sa in self.sas(end) for one in sa.get("local-vips", [])]
                if given:
                    end.host = ip_address(given[0])
                    for line in try_network.route_to_host(peer, end.host):
                        self.sh(peer.name, line)
                    if self._guarded:
                        self.sh(peer.name, try_network.guard_script(self.pair, peer), check=False)

    def log(self, end: End, since: float = 0) -> list[tuple[float, str]]:
        """Messages of an end's daemon, with their times."""
        found = []
        content = self.remotes[end.name].read(LOG)
        for _, at, message in charon_log.log_lines(end.name, content):
            when = at.replace(tzinfo=datetime.UTC).timestamp()
            if when >= since:
                found.append((when, message))
        return found

    def windows(self, end: End) -> list[int]:
        """Anti-replay windows of an end's inbound SAs [packets]."""
        states = read_xfrm_state(self.sh(end.name, "ip -s xfrm state list nokeys"))
        return [one.replay_window for one in states if one.direction == "in"]


def _initiator(pair: Pair) -> End:
    """The end that begins: one that starts by itself, else one with a trap, else any that can.
    Raises UserError."""
    able = [end for end in pair.ends if end.can_initiate]
    if not able:
        raise UserError(
            f"{pair.left.source}, {pair.right.source}: neither end names an address of the other "
            "(remote_addrs): nobody can begin; name one"
        )
    wanted = ((action, end) for action in ("start", "trap") for end in able)
    return next((end for action, end in wanted if action in end.starts), able[0])


TryQuestion = Callable[[RunningPair], dict[str, Any]]
"""asks a running pair; its answer can be written as JSON"""
