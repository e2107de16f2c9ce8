"""A FreeRADIUS server for one tunnel: its configuration as text, start and stop (radiusd(8))."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remeasure.bench.base.family import Address
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec.tunnel import SUPPLICANT, Tunnel
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.wait import fail, wait_until

if TYPE_CHECKING:
    from remeasure.bench.ipsec.pki import Credentials

FOLDER = "/run/radius"
LOG = f"{FOLDER}/radius.log"
PORT = 1812
DAEMON = "freeradius"
_READY = f"grep -qs 'Ready to process requests' {LOG}"
STOP = f"""\
pkill -x {DAEMON}
{wait_until(f"! pgrep -x {DAEMON} >/dev/null", fail(f"{DAEMON} does not stop"))}
rm -rf {FOLDER}; mkdir -m 700 {FOLDER}
"""
_START = f"""\
setsid {DAEMON} -f -d {FOLDER} -l {LOG} </dev/null >{FOLDER}/out 2>&1 &
{wait_until(_READY, f"tail -n 3 {LOG} {FOLDER}/out >&2; exit 1", steps=200)}
"""


def address_of_server(tunnel: Tunnel, topology: Topology) -> tuple[Address, Address]:
    """Addresses of the AAA server and of the responder on their common link."""
    ends = topology.links[topology.link_between(tunnel.aaa_host, tunnel.responder)]
    return ends[tunnel.aaa_host].ip, ends[tunnel.responder].ip


def radiusd_conf(tunnel: Tunnel, topology: Topology, secret: str) -> str:
    """The text of radiusd.conf(5).

    There is one client, the responder, which must sign its requests, and one EAP method, which the
    server proposes at once. TLS 1.2 and fragments of 1024 bytes are the defaults of FreeRADIUS and
    strongSwan. No session is resumed; the root certificate is not sent.
    """
    server, client = address_of_server(tunnel, topology)
    method = tunnel.auth.removeprefix("eap-")
    tls = (
        f"""
    tls-config lab {{
      private_key_file = {FOLDER}/key.pem
      certificate_file = {FOLDER}/chain.pem
      ca_file = {FOLDER}/root.pem
      auto_chain = no
      fragment_size = 1024
      tls_min_version = "1.2"
      tls_max_version = "1.2"
      cache {{
        enable = no
      }}
    }}
    tls {{
      tls = lab
    }}
    ttls {{
      tls = lab
      default_eap_type = md5
      virtual_server = lab
    }}"""
        if method != "md5"
        else ""
    )
    return f"""\
prefix = /usr
localstatedir = {FOLDER}
raddbdir = {FOLDER}
logdir = {FOLDER}
run_dir = {FOLDER}
libdir = /usr/lib/freeradius
log {{
  destination = files
  file = {LOG}
  auth = yes
}}
security {{
  reject_delay = 0
}}
thread pool {{
  start_servers = 2
  min_spare_servers = 1
  max_spare_servers = 2
  max_servers = 2
}}
client {tunnel.responder} {{
  ipaddr = {client}
  secret = {secret}
  require_message_authenticator = yes
}}
modules {{
  files {{
    filename = {FOLDER}/users
  }}
  eap {{
    default_eap_type = {method}
    md5 {{
    }}{tls}
  }}
}}
server lab {{
  listen {{
    type = auth
    ipaddr = {server}
    port = {PORT}
  }}
  authorize {{
    files
    eap
  }}
  authenticate {{
    eap
  }}
}}
"""


class RadiusServer:
    """The daemon on the AAA host. Methods raise CommandFailed with the daemon's own words."""

    def __init__(
        self, tunnel: Tunnel, topology: Topology, remote: Remote, credentials: Credentials
    ):
        self.remote = remote
        self._tunnel, self._topology, self._credentials = tunnel, topology, credentials

    def start(self) -> None:
        self.stop()
        files = {
            "radiusd.conf": radiusd_conf(
                self._tunnel, self._topology, self._credentials.secret("radius")
            ),
            "users": f'{SUPPLICANT} Cleartext-Password := "{self._credentials.secret("eap")}"\n',
        }
        if certificate := self._tunnel.certificates.get(self._tunnel.aaa_host):
            own = self._credentials.end_entity(*certificate)
            files |= {
                "key.pem": own.key,
                "chain.pem": own.certificate + "".join(own.intermediates),
                "root.pem": self._credentials.root(certificate.kind).certificate,
            }
        for name, text in files.items():
            self.remote.write(f"{FOLDER}/{name}", text)
        self.remote.run(_START)

    def stop(self) -> None:
        self.remote.run(STOP)
