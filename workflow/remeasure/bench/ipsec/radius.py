"""RADIUS servers behind the responder of a tunnel with EAP, by kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, NamedTuple

from remeasure.bench.base.family import Address
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec.ipsec_tunnel import SUPPLICANT, IpsecTunnel, RadiusKind
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.tools import Tool, fail, wait_until

if TYPE_CHECKING:
    from remeasure.bench.ipsec.pki import Credentials

FOLDER = "/run/radius"
LOG = f"{FOLDER}/radius.log"
PORT = 1812


def address_of_server(tunnel: IpsecTunnel, topology: Topology) -> tuple[Address, Address]:
    """Addresses of the AAA server and of the responder on their common link."""
    ends = topology.links[topology.link_between(tunnel.aaa_host, tunnel.responder)]
    return ends[tunnel.aaa_host].ip, ends[tunnel.responder].ip


class RadiusServer(NamedTuple):
    """A kind of server: its daemon on the AAA host."""

    daemon: str
    """name of the process"""
    tool: Tool
    """the program that the host needs"""
    command: str
    """line for a shell that runs the daemon in the foreground; it logs to LOG"""
    ready: str
    """words in LOG once the daemon answers"""
    files: Callable[[IpsecTunnel, Topology, Credentials], Mapping[str, str]]
    """name of each file in FOLDER -> its text. There is one client, the responder, which must sign
    its requests by the secret `radius`, and one user, SUPPLICANT with the password `eap` or, by
    EAP-TLS, a certificate."""

    def start(
        self, tunnel: IpsecTunnel, topology: Topology, remote: Remote, credentials: Credentials
    ) -> None:
        """Configure and start the daemon. Raises CommandFailed with its own words."""
        remote.run(self.stop)
        for name, text in self.files(tunnel, topology, credentials).items():
            remote.write(f"{FOLDER}/{name}", text)
        ready = wait_until(
            f"grep -qs '{self.ready}' {LOG}", f"tail -n 3 {LOG} {FOLDER}/out >&2; exit 1", steps=200
        )
        remote.run(f"setsid {self.command} </dev/null >{FOLDER}/out 2>&1 &\n{ready}\n")

    @property
    def stop(self) -> str:
        """Lines for a shell that end the daemon and empty its folder."""
        gone = wait_until(
            f"! pgrep -x {self.daemon} >/dev/null", fail(f"{self.daemon} does not stop")
        )
        return f"pkill -x {self.daemon}\n{gone}\nrm -rf {FOLDER}; mkdir -m 700 {FOLDER}\n"


def _files(tunnel: IpsecTunnel, topology: Topology, credentials: Credentials) -> Mapping[str, str]:
    files = {
        "radiusd.conf": radiusd_conf(tunnel, topology, credentials.secret("radius")),
        "users": f'{SUPPLICANT} Cleartext-Password := "{credentials.secret("eap")}"\n',
    }
    if certificate := tunnel.certificates.get(tunnel.aaa_host):
        own = credentials.end_entity(*certificate)
        files |= {
            "key.pem": own.key,
            "chain.pem": own.certificate + "".join(own.intermediates),
            "root.pem": credentials.root(certificate.kind).certificate,
        }
    return files


def radiusd_conf(tunnel: IpsecTunnel, topology: Topology, secret: str) -> str:
    """The text of radiusd.conf(5), from the template of that name: the EAP method of the tunnel is
    proposed at once. TLS 1.2 and fragments of 1024 bytes are the defaults of FreeRADIUS and
    strongSwan. No session is resumed; the root certificate is not sent."""
    text = Path(__file__).with_name("radiusd.conf").read_text()
    of_certificates = "" if tunnel.auth == "eap-md5" else r"\1"
    text = re.sub(
        r" +# with certificates\n(.*\n) +# always\n", of_certificates, text, flags=re.DOTALL
    )
    server, client = address_of_server(tunnel, topology)
    return Template(text).substitute(
        folder=FOLDER,
        log=LOG,
        port=PORT,
        address=server,
        client=tunnel.responder,
        address_of_client=client,
        secret=secret,
        method=tunnel.auth.removeprefix("eap-"),
    )


SERVERS: dict[RadiusKind, RadiusServer] = {
    "freeradius": RadiusServer(
        daemon="freeradius",
        tool=Tool(["freeradius", "-v"], "freeradius"),
        command=f"freeradius -f -d {FOLDER} -l {LOG}",
        ready="Ready to process requests",
        files=_files,
    )
}
"""kind in a scenario file -> server"""
TOOLS = {server.daemon: server.tool for server in SERVERS.values()}
