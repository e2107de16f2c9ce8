"""A tunnel under our control: configure, start, initiate, terminate, stop."""

from remeasure.ipsec.pki import Credentials
from remeasure.ipsec.swanctl import CHARON_CONF, CONNECTION, LOG, swanctl_conf
from remeasure.ipsec.tunnel import Tunnel
from remeasure.lab.topology import Topology
from remeasure.testbed.remote import CommandFailed, Remote, at_once

_STOP = """\
pkill -x charon-systemd
n=0; while pgrep -x charon-systemd >/dev/null; do
  n=$((n+1)); [ $n -gt 100 ] && { echo charon does not stop >&2; exit 1; }; sleep 0.05
done
ip xfrm state flush; ip xfrm policy flush
"""
_START = """\
setsid charon-systemd </dev/null >/run/charon.out 2>&1 &
n=0; until swanctl --stats >/dev/null 2>&1; do
  n=$((n+1)); [ $n -gt 100 ] && { cat /run/charon.out >&2; exit 1; }; sleep 0.05
done
swanctl --load-all
"""
INITIATE_LIMIT_S = 40


class TunnelControl:
    """A tunnel between two hosts, through their own strongSwan.

    Every method raises CommandFailed with the daemon's own words if a step is refused.
    """

    def __init__(self, tunnel: Tunnel, topology: Topology, remotes: dict[str, Remote],
                 credentials: Credentials):
        self.tunnel = tunnel
        self._topology = topology
        self._gateways = {name: remotes[name] for name in tunnel.gateways}
        self._credentials = credentials

    @property
    def initiator(self) -> Remote:
        return self._gateways[self.tunnel.initiator]

    def configure(self) -> None:
        """Write configuration and credentials on both ends and start both daemons."""
        def configure(name: str) -> None:
            self._write(name, self._gateways[name])
            self._gateways[name].run(_STOP + _START)

        at_once(configure, self._gateways)

    def stop(self) -> None:
        """No daemon, no SA, no policy is left on either end."""
        at_once(lambda remote: remote.run(_STOP), self._gateways.values())

    def restart_initiator(self) -> None:
        """Stop and start the initiator's daemon, as study pratama did before every sample."""
        self.initiator.run(_STOP + _START)

    def initiate(self) -> str:
        """Negotiate IKE_SA and CHILD_SA; returns what swanctl printed."""
        return self.initiator.run(
            ["swanctl", "--initiate", "--child", CONNECTION, "--timeout", str(INITIATE_LIMIT_S)],
            timeout=INITIATE_LIMIT_S + 10)

    def rekey_child(self) -> None:
        """Ask for a new CHILD_SA by CREATE_CHILD_SA, with a key exchange of its own (PFS)."""
        self.initiator.run(["swanctl", "--rekey", "--child", CONNECTION])

    def terminate(self) -> None:
        """Delete the IKE_SA; quiet if there is none."""
        self.initiator.run(["swanctl", "--terminate", "--ike", CONNECTION, "--timeout", "10"],
                           check=False, timeout=20)

    def bring_up(self, attempts: int = 3) -> None:
        """A tunnel for traffic, whatever a lossy link does to the first attempts."""
        for attempt in range(1, attempts + 1):
            try:
                self.terminate()
                self.initiate()
                return
            except CommandFailed:
                if attempt == attempts:
                    raise

    def read_log(self) -> bytes:
        """The initiator's log since its daemon started."""
        return self.initiator.read(LOG)

    def _write(self, name: str, remote: Remote) -> None:
        psk = self._credentials.psk() if self.tunnel.auth == "psk" else None
        remote.run("rm -f /etc/swanctl/private/* /etc/swanctl/x509/* /etc/swanctl/x509ca/*")
        remote.write("/etc/strongswan.d/zz-remeasure.conf", CHARON_CONF)
        remote.write("/etc/swanctl/swanctl.conf",
                     swanctl_conf(self.tunnel, self._topology, name, psk))
        if self.tunnel.auth == "rsa":
            bits = self.tunnel.rsa_bits
            own = self._credentials.gateway(name, bits)
            remote.write(f"/etc/swanctl/private/{name}.pem", own.key)
            remote.write(f"/etc/swanctl/x509/{name}.pem", own.certificate)
            authority = self._credentials.authority(bits)
            remote.write("/etc/swanctl/x509ca/ca.pem", authority.certificate)
