"""strongSwan configuration as text: swanctl.conf(5) and strongswan.conf(5).

Many IKE_SAs between two gateways have a CHILD_SA each, for two addresses of its own. The initiator
has a connection for each of them. The responder has one connection, for all addresses, and narrows
it to the two that the initiator names (RFC 7296, section 2.9). strongSwan needs two settings for
that, or it looks as if all went well: with `unique = never` an IKE_SA does not replace the one
before, and with `reuse_ikesa = no` children do not share one IKE_SA.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec.ipsec_tunnel import (
    INITIATORS,
    RESPONDERS,
    SUPPLICANT,
    IpsecTunnel,
    addresses,
)
from remeasure.bench.ipsec.radius import PORT, address_of_server

if TYPE_CHECKING:
    from remeasure.bench.ipsec.pki import Credentials


CONNECTION = "s2s"
GUARD = "guard"
"""name of the connection that drops unprotected traffic of the tunnel, and of its child"""
LOG = "/run/charon.log"


def files(
    tunnel: IpsecTunnel, topology: Topology, gateway: str, credentials: Credentials
) -> dict[str, str]:
    """path -> text of each file that a gateway needs: configuration, keys and certificates."""
    secret = radius_secret = None
    if tunnel.eap and gateway != tunnel.initiator:
        radius_secret = credentials.secret("radius")
    elif tunnel.eap or tunnel.auth == "psk":
        secret = credentials.secret("eap" if tunnel.eap else "psk")
    charon = charon_conf(tunnel, topology, gateway, radius_secret)
    made = {
        "/etc/strongswan.d/zz-remeasure.conf": charon,
        "/etc/swanctl/swanctl.conf": swanctl_conf(tunnel, topology, gateway, secret),
    }
    certificates = tunnel.certificates
    if needed := certificates.get(gateway):
        own = credentials.end_entity(*needed)
        made[f"/etc/swanctl/private/{gateway}.pem"] = own.key
        made[f"/etc/swanctl/x509/{gateway}.pem"] = own.certificate
        for tier, certificate in enumerate(own.intermediates, 1):
            made[f"/etc/swanctl/x509ca/{gateway}-{tier}.pem"] = certificate
    for kind in {needed.kind for needed in certificates.values()}:
        made["/etc/swanctl/x509ca/root.pem"] = credentials.root(kind).certificate
    return made


def charon_conf(
    tunnel: IpsecTunnel, topology: Topology, gateway: str, radius_secret: str | None
) -> str:
    """strongswan.conf(5) of a gateway: charon logs to a file with microseconds and truncates it at
    every start. `radius_secret` is for a responder that asks a RADIUS server."""
    log = {
        "path": LOG,
        "append": "no",
        "flush_line": "yes",
        "time_format": "%Y-%m-%dT%H:%M:%S",
        "time_precision": "us",
        # At level 1 charon writes lines for each message, which takes time.
        "default": 1 if tunnel.count is None else 0,
    }
    settings: dict[str, Any] = {"filelog": {"lab": log}}
    if tunnel.count is not None:
        settings["reuse_ikesa"] = "no"  # otherwise all children share the first IKE_SA
    if tunnel.inactivity:
        settings["inactivity_close_ike"] = "yes"
    settings |= tunnel.lifecycle.charon
    if tunnel.eap and gateway == tunnel.responder:
        address, _ = address_of_server(tunnel, topology)
        server = {"address": address, "auth_port": PORT, "secret": radius_secret}
        settings["plugins"] = {"eap-radius": {"servers": {tunnel.aaa: server}}}
    return _render({"charon-systemd": settings})


def _child(tunnel: IpsecTunnel, topology: Topology, gateway: str) -> dict[str, Any]:
    child: dict[str, Any] = {
        "mode": tunnel.mode,
        f"{tunnel.protocol.lower()}_proposals": tunnel.proposal,
        "replay_window": tunnel.replay_window,
    }
    if tunnel.inactivity and gateway == tunnel.responder:
        child["inactivity"] = f"{tunnel.inactivity}s"
    child |= tunnel.lifecycle.child(tunnel.reactions(gateway))
    if tunnel.per_cpu != "no":
        child["per_cpu_sas"] = tunnel.per_cpu
    if tunnel.protects:
        child["local_ts"] = tunnel.protected(topology, gateway)
        child["remote_ts"] = tunnel.protected(topology, tunnel.peer(gateway))
    return child


def swanctl_conf(tunnel: IpsecTunnel, topology: Topology, gateway: str, secret: str | None) -> str:
    """swanctl.conf(5) of a gateway, whose certificate is <gateway>.pem. `secret` is the pre-shared
    key or, with EAP, the initiator's password."""
    peer, child = tunnel.peer(gateway), _child(tunnel, topology, gateway)
    own = topology.address(gateway, tunnel.link_of(gateway))
    connection = {
        "version": 2,
        "local_addrs": "%any" if tunnel.roams else own,
        "remote_addrs": topology.address(peer, tunnel.link_of(peer)),
        "proposals": tunnel.ike,
        "fragmentation": "yes" if tunnel.fragmentation else "no",
        **({"encap": "yes"} if tunnel.encap else {}),
        **tunnel.lifecycle.connection,
        "local": _auth(tunnel, gateway, own=True),
        "remote": _auth(tunnel, peer, own=False),
        "children": {CONNECTION: child},
    }
    connections = {CONNECTION: connection}
    if tunnel.count is not None:
        connections = _many(tunnel.count, gateway == tunnel.initiator, connection)
    if tunnel.lifecycle.guard:
        # Never negotiated; its child drops the traffic of `child` if no SA has a policy for it.
        drops = {"mode": "drop", "start_action": "trap"}
        drops |= {name: child[name] for name in ("local_ts", "remote_ts")}
        connections[GUARD] = {"remote_addrs": "127.0.0.1", "children": {GUARD: drops}}
    document: dict[str, Any] = {"connections": connections}
    if secret is not None:
        given = {"secret": f'"{secret}"'}
        eap = {"eap-1": {"id": SUPPLICANT, **given}}
        document["secrets"] = eap if tunnel.eap else {"ike-1": given}
    return _render(document)


def child_name(number: int) -> str:
    """Name of the child of the initiator's connection `number`, from 0."""
    return f"k{number}"


def _many(count: int, initiates: bool, one: dict[str, Any]) -> dict[str, Any]:
    """Connections of a gateway for many IKE_SAs, made from that for `one`; `initiates`: of the
    initiator."""
    child, base = one["children"][CONNECTION], one | {"unique": "never"}
    if not initiates:
        whole = {"local_ts": str(RESPONDERS), "remote_ts": str(INITIATORS)}
        return {CONNECTION: base | {"children": {CONNECTION: child | whole}}}
    made = {}
    for number in range(count):
        own, peer = addresses(number)
        selectors = {"local_ts": own, "remote_ts": peer}
        made[f"c{number}"] = base | {"children": {child_name(number): child | selectors}}
    return made


def _auth(tunnel: IpsecTunnel, host: str, own: bool) -> dict[str, Any]:
    fields = {"id": host}
    if not tunnel.eap or host == tunnel.responder:
        fields["auth"] = "psk" if tunnel.auth == "psk" else "pubkey"
        if own and tunnel.auth != "psk":
            fields["certs"] = f"{host}.pem"
    elif own:
        fields |= {"auth": tunnel.auth, "eap_id": SUPPLICANT}
        if tunnel.aaa in tunnel.certificates:
            fields["aaa_id"] = tunnel.aaa
    else:
        fields |= {"auth": "eap-radius", "eap_id": "%any"}
    return fields


def _render(section: dict[str, Any], indent: str = "") -> str:
    lines = []
    for key, value in section.items():
        if isinstance(value, dict):
            lines.append(f"{indent}{key} {{\n{_render(value, indent + '  ')}{indent}}}")
        else:
            lines.append(f"{indent}{key} = {value}")
    return "\n".join(lines) + "\n"
