"""A tunnel under our control: configure, start, initiate, terminate, stop."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from remeasure.bench.base.checks import Check
from remeasure.bench.base.errors import in_brief
from remeasure.bench.base.family import IPV6
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec import algorithms, vici
from remeasure.bench.ipsec.agreement import Carried, check_by_sas
from remeasure.bench.ipsec.authentication_proof import authentication_provers
from remeasure.bench.ipsec.clear_text import clear_text_provers
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.proof import lifecycle_provers, policy_provers, tunnel_provers
from remeasure.bench.ipsec.radius import LOG as RADIUS_LOG
from remeasure.bench.ipsec.radius import SERVERS, RadiusServer
from remeasure.bench.ipsec.swanctl import CONNECTION, LOG, child_name, files
from remeasure.bench.ipsec.tunnel import LinuxControl
from remeasure.bench.testbed.remote import CommandFailed, Remote, at_once
from remeasure.bench.testbed.tools import Tool, fail, fail_showing, wait_until
from remeasure.bench.testbed.treatments.treatment import Prover
from remeasure.bench.testbed.watching import counters
from remeasure.bench.testbed.watching.readiness import Needs

if TYPE_CHECKING:
    from remeasure.bench.ipsec.pki import Credentials

FLUSH = "ip xfrm state flush; ip xfrm policy flush"
ENDED = wait_until("! pgrep -x charon-systemd >/dev/null", fail("charon does not stop"))
"""a line for a shell that waits for the end of charon"""
_STOP = f"""\
pkill -x charon-systemd
{ENDED}
{FLUSH}
"""
_CLEAR = "rm -f /etc/swanctl/private/* /etc/swanctl/x509/* /etc/swanctl/x509ca/*"
# IP-TFS aggregates by lists of buffers, of which the driver of User Mode Linux sends the first.
_LINEAR = """
for i in /sys/class/net/*; do ethtool -K ${i##*/} tx-scatter-gather-fraglist off 2>/dev/null; done
true"""
# To ask by swanctl whether charon is there would take longer than charon takes to start.
START = f"""\
rm -f {vici.SOCKET}
setsid charon-systemd </dev/null >/run/charon.out 2>&1 &
{wait_until(f"[ -S {vici.SOCKET} ]", fail_showing("/run/charon.out"), steps=200)}
swanctl --load-all
"""
"""lines for a shell that start charon and load its configuration"""
# A larval SA, which is being negotiated, has the number of a processor too, but no algorithm yet.
_ALL_PROCESSORS = wait_until(
    "[ $(ip -o xfrm state list nokeys | grep -E '\\s(auth-trunc|enc|aead) ' "
    "| grep -o 'pcpu-num [0-9]*' | sort -u | wc -l) -ge $(nproc) ]",
    fail("not every processor has an SA (Linux 6.13 and strongSwan 6.0.2 can)"),
    steps=50,
    pause_s=0.1,
)
_LOADING = re.compile(r"loading connection '\w+' failed: ((?:unknown|invalid) [^,]+)")
"""swanctl's message for an option of a connection that strongSwan refuses"""
INITIATE_LIMIT_S = 40
TERMINATE_LIMIT_S = 10
_CHILD = wait_until(
    "swanctl --list-sas --raw | grep -q ' state=INSTALLED'",
    fail("no CHILD_SA is installed"),
    steps=INITIATE_LIMIT_S * 5,
    pause_s=0.2,
)
TOOLS = {
    "swanctl": Tool(["swanctl", "--help"], "strongswan-swanctl"),
    "charon-systemd": Tool(["command", "-v", "charon-systemd"], "charon-systemd"),
}
_REFUSED = "AUTHENTICATION_FAILED|EAP_FAILURE|NO_PROPOSAL_CHOSEN|method failed"
"""failures that no other attempt mends"""
_GIVEN_UP = "giving up after"
"""words of charon's log for this moment"""
# Words with which charon and FreeRADIUS report why something did not succeed.
_REASON = (
    "fail|timed out|error|invalid|expired|reject|refus|incorrect|exceeded|unable"
    "|no .*(found|matching|chosen)|proposals"
)


class TunnelControl(LinuxControl):
    """A tunnel between two hosts, through their own strongSwan, and the RADIUS server behind the
    responder if there is one. Every method raises CommandFailed with the daemons' own words if a
    step is refused."""

    settings = IpsecTunnel
    tunnel: IpsecTunnel

    @staticmethod
    def make_secrets(tunnel: IpsecTunnel, credentials: Credentials) -> None:
        for name in ("psk",) if tunnel.auth == "psk" else ("eap", "radius") if tunnel.eap else ():
            credentials.secret(name)
        for needed in tunnel.certificates.values():
            credentials.end_entity(*needed)

    @staticmethod
    def needs(tunnel: IpsecTunnel, topology: Topology) -> Needs:
        kind = SERVERS[tunnel.radius]
        server = {kind.daemon: kind.tool} if tunnel.eap else {}
        more = algorithms.MODULES_OF_IPV6 if IPV6 in topology.families else {}
        own = {"xfrm_iptfs": "XFRM_IPTFS"} if tunnel.mode == "iptfs" else {}
        return Needs(TOOLS | server, algorithms.MODULES | more | own)

    def provers(self, carried: bool, may_leak: bool, cpus: int | None) -> Iterable[Prover]:
        tunnel, topology = self.tunnel, self.topology
        yield from tunnel_provers(tunnel, carried, cpus)
        yield from policy_provers(tunnel, topology)
        yield from lifecycle_provers(tunnel)
        yield from clear_text_provers(tunnel, topology, self.interfaces, may_leak)
        yield from authentication_provers(tunnel)

    def check_carried(
        self, where: str, carried: Carried, *counts: Mapping[str, str]
    ) -> list[Check]:
        if self.tunnel.mode == "iptfs":  # a packet of ESP has several, or part of one
            carried = carried._replace(least_packets=0, most_packets=2 * carried.most_packets)
        before, after = (one[counters.SAS] for one in counts)
        return check_by_sas(where, carried, before, after, more=self.tunnel.per_cpu != "no")

    @property
    def daemons(self) -> list[str]:
        """Names of the processes that negotiate, on whichever of its hosts."""
        return ["charon-systemd", *(server.daemon for server, _ in self._servers)]

    @property
    def _servers(self) -> list[tuple[RadiusServer, Remote]]:
        """The RADIUS server and its host, if the tunnel has one."""
        tunnel = self.tunnel
        return [(SERVERS[tunnel.radius], self._remotes[tunnel.aaa_host])] if tunnel.eap else []

    def configure(self) -> None:
        """Write configuration and credentials everywhere and start all daemons."""
        # A gateway that begins to negotiate when it starts needs a peer that listens.
        later = [name for name in self.gateways if self._begins(name)]
        now = [partial(self._start, name) for name in self.gateways if name not in later]
        now += [
            partial(server.start, self.tunnel, self.topology, remote, self._credentials)
            for server, remote in self._servers
        ]
        at_once(lambda step: step(), now)
        at_once(self._start, later)
        self._fresh = True

    def _start(self, name: str) -> None:
        remote = self.gateways[name]
        remote.run(_CLEAR if self.tunnel.mode != "iptfs" else _CLEAR + _LINEAR)
        for path, text in files(self.tunnel, self.topology, name, self._credentials).items():
            remote.write(path, text)
        try:
            remote.run(_STOP + START)
        except CommandFailed as error:
            if refused := _LOADING.search(str(error)):
                raise CommandFailed(f"{name}: strongSwan has an {refused[1]}") from None
            raise

    def stop(self) -> None:
        """No daemon, no SA, no policy is left anywhere."""
        scripts = [(remote, _STOP) for remote in self.gateways.values()]
        scripts += [(remote, server.stop) for server, remote in self._servers]
        at_once(lambda one: one[0].run(one[1]), scripts)

    def restart(self, gateway: str, lasts_s: float) -> None:
        """As in any LinuxControl; the daemon tells the other end."""
        self.gateways[gateway].run(f"{_STOP}sleep {lasts_s:g}\n{START}", timeout=lasts_s + 60)

    def restart_initiator(self) -> None:
        """Stop and start the initiator's daemon, as Pratama 2025 did before every sample."""
        self.initiator.run(_STOP + START)

    def initiate(self) -> None:
        """Negotiate IKE_SA and CHILD_SA."""
        child = CONNECTION if self.tunnel.count is None else child_name(0)
        self.explained(
            ["swanctl", "--initiate", "--child", child, "--timeout", str(INITIATE_LIMIT_S)],
            INITIATE_LIMIT_S + 10,
        )

    def authenticate(self, count: int) -> bool:
        """Negotiate again, `count` times. A negotiation that charon gives up because nothing
        answers is one of the `count`, by its log. Any other failure raises CommandFailed. Returns
        True if the last SAs stay, False if the last negotiation was given up."""
        begun = self._begun()
        end = begun + count
        while begun < end:
            try:
                self._negotiate(end - begun)
                return True
            except CommandFailed:
                before, begun = begun, self._begun()
                # The network lost charon's repetitions: another attempt may succeed.
                last = f"grep -E 'initiating IKE_SA|{_GIVEN_UP}' {LOG} | tail -n 1"
                if begun == before or _GIVEN_UP not in self.initiator.run(last):
                    raise
        return False

    def _negotiate(self, count: int) -> None:
        # Without a log of its own: charon would send it while it negotiates. By force: otherwise an
        # IKE_SA whose deletion is lost would go on with the next.
        # charon itself gives up an unanswered request 15 s earlier.
        limit = math.ceil(self.tunnel.lifecycle.timers.gives_up_s) + 15
        self.explained(
            vici.ask(
                count,
                f"terminate,ike={CONNECTION},force=yes,timeout={TERMINATE_LIMIT_S * 1000}",
                f"initiate!,child={CONNECTION},timeout={limit * 1000},loglevel=-1",
            ),
            limit + count * 20,  # far above the mean with a loss of 5 %
        )

    def _begun(self) -> int:
        return int(self.initiator.run(f"grep -c 'initiating IKE_SA' {LOG} || true"))

    def terminate(self) -> None:
        """Delete the IKE_SA at both ends, the initiator's first; quiet if there is none. If the
        answer is lost, the peer, who has forgotten the IKE_SA, never answers again, and the old SAs
        would stay with the next: hence by force when time is up."""
        command = f"swanctl --terminate --ike {CONNECTION} --force --timeout {TERMINATE_LIMIT_S}"
        for remote in (self.initiator, self.responder):
            remote.run(command.split(), check=False, timeout=2 * TERMINATE_LIMIT_S)

    def bring_up(self) -> None:
        """A tunnel for traffic, whatever a lossy link does to the first attempts."""
        for attempts_left in (2, 1, 0):
            try:
                self._negotiate_once()
                return
            except CommandFailed as error:
                if not attempts_left or re.search(_REFUSED, str(error)):
                    raise

    def _begins(self, gateway: str) -> bool:
        return self.tunnel.reactions(gateway).start_action == "start"

    def _negotiate_once(self) -> None:
        begins = any(map(self._begins, self.gateways))
        if not self._fresh:
            (self.configure if begins else self.terminate)()
        if begins:
            self.explained(["sh", "-c", _CHILD], INITIATE_LIMIT_S + 10)
        elif self.tunnel.on_demand:
            self._ask_for_all()
        else:
            self.initiate()

    def _ask_for_all(self) -> None:
        """Packets from every processor of both ends until they are answered: the first ask for SAs,
        and may be lost on the way to them."""
        for gateway, remote in self.gateways.items():
            peer = self.tunnel.peer(gateway)
            address = self.topology.address(peer, self.tunnel.link_of(peer))
            ping = f"taskset -c $c ping -q -c 1 -W 1 {address} >/dev/null"
            late = f'echo "no answer from {address} to processor $c" >&2; exit 1'
            # An unanswered ping has waited for a second itself.
            waiting = wait_until(ping, late, steps=10, pause_s=0)
            pings = f"for c in $(seq 0 $(($(nproc) - 1))); do {waiting}; done"
            self.explained(["sh", "-c", pings], 60, remote)
        if self.tunnel.per_cpu != "no":
            for remote in self.gateways.values():
                self.explained(["sh", "-c", _ALL_PROCESSORS], 30, remote)

    def read_log(self) -> bytes:
        """The initiator's log since its daemon started."""
        return self.initiator.read(LOG)

    def explained(self, command: list[str], timeout: float, on: Remote | None = None) -> str:
        """Output of a command of the initiator, or `on` another host. If the command fails, the
        error has the reason from the daemons' logs."""
        self._fresh = False
        try:
            return (on or self.initiator).run(command, timeout=timeout)
        except CommandFailed as error:
            logs = [(remote, RADIUS_LOG) for _, remote in self._servers]
            logs += [(self.responder, LOG), (self.initiator, LOG)]
            said = [f"{one.name}: {line}" for one, log in logs for line in _why(one, log)]
            # A command may be a script of many lines.
            short = str(error).replace(in_brief(shlex.join(command)), " ".join(command[:2]))
            raise CommandFailed("; ".join([*said, short])) from error


def _why(remote: Remote, log: str) -> list[str]:
    """The last lines of a log with a reason, as one line without their times; none without any: of
    charon since the last negotiation began, of a RADIUS server since it started. charon's lines on
    encoding and sending only repeat them in the words of the protocol."""
    begins = "|".join(["initiating (an )?IKE_SA", *(one.ready for one in SERVERS.values())])
    lines = remote.run(
        f'awk \'/{begins}/ {{text = ""; on = 1}} on {{text = text $0 "\\n"}} '
        f"END {{printf \"%s\", text}}' {log} | grep -vE '\\[(ENC|NET)\\]' "
        f"| grep -iE {shlex.quote(_REASON)} | tail -n 3",
        check=False,
    ).splitlines()
    times = r"^(\S+ [0-9][0-9]\[\w+\] |\w+ \w+ +[0-9]+ [0-9:]+ [0-9]+ : )"
    return [" / ".join(re.sub(times, "", line) for line in lines)] if lines else []
