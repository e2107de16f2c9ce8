"""RADIUS servers behind the responder of a tunnel with EAP: a class per kind, which configures and
starts its daemon."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, ClassVar

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


class RadiusServer:
    """The daemon on the AAA host of a tunnel. Methods raise CommandFailed with its own words."""

    daemon: ClassVar[str]
    """name of the process"""
    tool: ClassVar[Tool]
    """the program that the host needs"""
    command: ClassVar[str]
    """line for a shell that runs the daemon in the foreground; it logs to LOG"""
    ready: ClassVar[str]
    """words in LOG once the daemon answers"""

    def __init__(
        self, tunnel: IpsecTunnel, topology: Topology, remote: Remote, credentials: Credentials
    ):
        self.remote = remote
        self.tunnel, self.topology, self.credentials = tunnel, topology, credentials

    def files(self) -> Mapping[str, str]:
        """Name of each file in FOLDER -> its text. There is one client, the responder, which must
        sign its requests by the secret `radius`, and one user, SUPPLICANT with the password `eap`
        or, by EAP-TLS, a certificate."""
        raise NotImplementedError

    def start(self) -> None:
        self.stop()
        for name, text in self.files().items():
            self.remote.write(f"{FOLDER}/{name}", text)
        ready = wait_until(
            f"grep -qs '{self.ready}' {LOG}", f"tail -n 3 {LOG} {FOLDER}/out >&2; exit 1", steps=200
        )
        self.remote.run(f"setsid {self.command} </dev/null >{FOLDER}/out 2>&1 &\n{ready}\n")

    def stop(self) -> None:
        gone = wait_until(
            f"! pgrep -x {self.daemon} >/dev/null", fail(f"{self.daemon} does not stop")
        )
        self.remote.run(f"pkill -x {self.daemon}\n{gone}\nrm -rf {FOLDER}; mkdir -m 700 {FOLDER}\n")


class FreeRadius(RadiusServer):
    """FreeRADIUS, which proposes the EAP method of the tunnel at once (radiusd(8)). TLS 1.2 and
    fragments of 1024 bytes are the defaults of FreeRADIUS and strongSwan. No session is resumed;
    the root certificate is not sent."""

    daemon = "freeradius"
    tool = Tool(["freeradius", "-v"], "freeradius")
    command = f"{daemon} -f -d {FOLDER} -l {LOG}"
    ready = "Ready to process requests"

    def files(self) -> Mapping[str, str]:
        tunnel, secret = self.tunnel, self.credentials.secret
        files = {
            "radiusd.conf": radiusd_conf(tunnel, self.topology, secret("radius")),
            "users": f'{SUPPLICANT} Cleartext-Password := "{secret("eap")}"\n',
        }
        if certificate := tunnel.certificates.get(tunnel.aaa_host):
            own = self.credentials.end_entity(*certificate)
            files |= {
                "key.pem": own.key,
                "chain.pem": own.certificate + "".join(own.intermediates),
                "root.pem": self.credentials.root(certificate.kind).certificate,
            }
        return files


def radiusd_conf(tunnel: IpsecTunnel, topology: Topology, secret: str) -> str:
    """The text of radiusd.conf(5), from the template of that name."""
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


SERVERS: dict[RadiusKind, type[RadiusServer]] = {"freeradius": FreeRadius}
"""kind in a scenario file -> server"""
