"""strongSwan configuration as text: swanctl.conf(5) and strongswan.conf(5)."""

from remeasure.ipsec.tunnel import Tunnel
from remeasure.lab.topology import Topology

CONNECTION = "s2s"
LOG = "/run/charon.log"

CHARON_CONF = f"""charon-systemd {{
  filelog {{
    lab {{
      path = {LOG}
      append = no
      flush_line = yes
      time_format = %Y-%m-%dT%H:%M:%S
      time_precision = us
      default = 1
    }}
  }}
}}
"""
"""charon's log to a file with microseconds, anew at every start"""


def swanctl_conf(tunnel: Tunnel, topology: Topology, gateway: str, psk: str | None) -> str:
    """The configuration of one end. Certificates are named <gateway>.pem; `psk` is the secret."""
    peer = tunnel.peer(gateway)
    auth = {"psk": "psk", "rsa": "pubkey"}[tunnel.auth]
    child = {"mode": tunnel.mode, f"{tunnel.protocol.lower()}_proposals": tunnel.proposal,
             "replay_window": tunnel.replay_window}
    if tunnel.protects:
        child["local_ts"] = _network(tunnel, topology, gateway)
        child["remote_ts"] = _network(tunnel, topology, peer)
    local = {"auth": auth, "id": gateway}
    if tunnel.auth == "rsa":
        local["certs"] = f"{gateway}.pem"
    connection = {
        "version": 2,
        "local_addrs": topology.address(gateway, tunnel.link),
        "remote_addrs": topology.address(peer, tunnel.link),
        "proposals": tunnel.ike,
        "local": local,
        "remote": {"auth": auth, "id": peer},
        "children": {CONNECTION: child},
    }
    document: dict = {"connections": {CONNECTION: connection}}
    if psk is not None:
        document["secrets"] = {"ike-1": {"secret": f'"{psk}"'}}
    return _render(document)


def _network(tunnel: Tunnel, topology: Topology, gateway: str) -> str:
    return str(topology.links_of(gateway)[tunnel.protects[gateway]].network)


def _render(section: dict, indent: str = "") -> str:
    lines = []
    for key, value in section.items():
        if isinstance(value, dict):
            lines.append(f"{indent}{key} {{\n{_render(value, indent + '  ')}{indent}}}")
        else:
            lines.append(f"{indent}{key} = {value}")
    return "\n".join(lines) + "\n"
