"""FreeRADIUS behind the responder of a tunnel with EAP: its configuration, start and end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from remeasure.bench.base.family import Address
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec.ipsec_tunnel import SUPPLICANT, IpsecTunnel
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.tools import Tool, fail, wait_until

if TYPE_CHECKING:
    from remeasure.bench.ipsec.pki import Credentials

DAEMON = "freeradius"
"""name of the process"""
TOOLS = {DAEMON: Tool(["freeradius", "-v"], "freeradius")}
FOLDER = "/run/radius"
LOG = f"{FOLDER}/radius.log"
PORT = 1812
READY = "Ready to process requests"
"""words in LOG once the daemon answers"""
_START = f"""\
setsid {DAEMON} -f -d {FOLDER} -l {LOG} </dev/null >{FOLDER}/out 2>&1 &
{wait_until(f"grep -qs '{READY}' {LOG}", f"tail -n 3 {LOG} {FOLDER}/out >&2; exit 1", steps=200)}
"""
STOP = f"""\
pkill -x {DAEMON}
{wait_until(f"! pgrep -x {DAEMON} >/dev/null", fail(f"{DAEMON} does not stop"))}
rm -rf {FOLDER}; mkdir -m 700 {FOLDER}
"""


def address_of_server(tunnel: IpsecTunnel, topology: Topology) -> tuple[Address, Address]:
    """Addresses of the AAA server and of the responder on their common link."""
    ends = topology.links[topology.link_between(tunnel.aaa_host, tunnel.responder)]
    return ends[tunnel.aaa_host].ip, ends[tunnel.responder].ip


def start(
    tunnel: IpsecTunnel, topology: Topology, remote: Remote, credentials: Credentials
) -> None:
    """Configure and start the daemon on the AAA host. Raises CommandFailed with its own words."""
    remote.run(STOP)
    for name, text in _files(tunnel, topology, credentials).items():
        remote.write(f"{FOLDER}/{name}", text)
    remote.run(_START)


def _files(tunnel: IpsecTunnel, topology: Topology, credentials: Credentials) -> Mapping[str, str]:
    """Name of each file in FOLDER -> its text. There is one client, the responder, which must sign
    its requests by the secret `radius`, and one user, SUPPLICANT with the password `eap` or, by
    EAP-TLS, a certificate."""
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
