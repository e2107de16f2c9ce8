"""Proof of treatment: what a trial must show before its numbers count.

Each check compares what the hosts say with what the cell asked for.
"""

import re

from remeasure.checks import Check, equal
from remeasure.ipsec.sas import Vici, read_list_sas, read_xfrm_state
from remeasure.ipsec.suites import negotiated
from remeasure.ipsec.tunnel import SUPPLICANT, Tunnel
from remeasure.testbed.shaping import Shaping, rate_bits, read_qdiscs

COMMANDS = {
    "list-sas.txt": ["swanctl", "--list-sas", "--raw"],
    "xfrm-state.txt": ["ip", "-s", "xfrm", "state", "list", "nokeys"],
}
"""log -> command, on every gateway"""
NO_IPSEC = "ip xfrm state list nokeys; ip xfrm policy list"
"""what must print nothing on a host without IPsec"""


def check_tunnel(
    tunnel: Tunnel, gateway: str, list_sas: str, xfrm_state: str, used: bool = True
) -> list[Check]:
    """The negotiated suite, mode and window of one gateway, and, if it was `used`, that its SAs
    carried packets."""
    try:
        established, children = in_force(list_sas)
        kernel_sas = read_xfrm_state(xfrm_state)
    except ValueError as error:
        return [unreadable(gateway, error)]
    checks = [
        equal("ike-sa", f"{gateway}: IKE_SAs established", len(established), 1),
        equal("child-sa", f"{gateway}: CHILD_SAs installed", len(children), 1),
    ]
    if len(established) != 1 or len(children) != 1:
        return checks
    checks += [
        equal(ike_kind(key), f"{gateway}: IKE_SA {key}", established[0].get(key), value)
        for key, value in wanted_ike(tunnel, gateway).items()
    ]
    checks += [
        equal("child-sa", f"{gateway}: CHILD_SA {key}", children[0].get(key), value)
        for key, value in wanted_child(tunnel).items()
    ]
    for direction in ("in", "out"):
        spi = int(children[0][f"spi-{direction}"], 16)
        sas = [sa for sa in kernel_sas if int(sa.spi, 16) == spi and sa.direction == direction]
        if len(sas) != 1:
            checks.append(equal("child-sa", f"{gateway}: kernel SAs {direction}", len(sas), 1))
            continue
        if used:
            moved = sas[0].packets
            checks.append(
                Check(
                    "sa-packets",
                    f"{gateway}: packets {direction}",
                    moved > 0,
                    str(moved),
                    "more than 0",
                )
            )
        if direction == "in":
            checks.append(
                equal(
                    "replay-window",
                    f"{gateway}: replay window",
                    sas[0].replay_window,
                    tunnel.replay_window,
                )
            )
    return checks


def in_force(list_sas: str) -> tuple[list[Vici], list[Vici]]:
    """The IKE_SAs that are established, and the CHILD_SAs that they have installed. Raises
    ValueError as `read_list_sas`."""
    established = [sa for sa in read_list_sas(list_sas) if sa.get("state") == "ESTABLISHED"]
    return established, [
        child
        for sa in established
        for child in sa.get("child-sas", {}).values()
        if child.get("state") == "INSTALLED"
    ]


def unreadable(gateway: str, error: ValueError) -> Check:
    return Check("child-sa", f"{gateway}: SA listing", False, str(error), "a readable listing")


def ike_kind(key: str) -> str:
    """Kind of the check of one field of an IKE_SA."""
    return "eap-identity" if key == "remote-eap-id" else "ike-sa"


def wanted_ike(tunnel: Tunnel, gateway: str) -> dict[str, str | None]:
    """Fields of an IKE_SA in the listing of one gateway."""
    wanted = {"version": "2", **negotiated(tunnel.ike)}
    if gateway == tunnel.responder:
        wanted["remote-eap-id"] = SUPPLICANT if tunnel.eap else None
    return wanted


def wanted_child(tunnel: Tunnel) -> dict[str, str]:
    """Fields of a CHILD_SA, but for the key exchange, which the first of an IKE_SA has not of its
    own (RFC 7296, section 1.2)."""
    wanted = {
        "mode": tunnel.mode.upper(),
        "protocol": tunnel.protocol,
        **negotiated(tunnel.proposal),
    }
    wanted.pop("dh-group", None)
    return wanted


def check_no_ipsec(host: str, xfrm: str) -> list[Check]:
    """That a host has neither an SA nor a policy that could protect anything."""
    return [equal("no-ipsec", f"{host}: SAs and policies", xfrm.strip() or "none", "none")]


_SIGNED = {"psk": "with pre-shared key", "rsa": r"with RSA_EMSA\S*", "ecdsa": r"with ECDSA\S*"}
_EAP = {"eap-md5": "EAP_MD5", "eap-tls": "EAP_TLS", "eap-ttls": "EAP_TTLS"}


def check_authentication(tunnel: Tunnel, initiator_log: str) -> list[Check]:
    """That both ends authenticated in the way of the cell, by the initiator's log."""
    own, peer = tunnel.initiator, tunnel.responder
    if tunnel.eap:
        said = {
            f"{own} authenticated by {tunnel.auth}": (
                rf"EAP method {_EAP[tunnel.auth]} succeeded, (no )?MSK established"
            ),
            f"{own} used EAP": rf"authentication of '{own}' \(myself\) with EAP",
            f"{peer} authenticated by rsa": rf"authentication of '{peer}' {_SIGNED['rsa']} success",
        }
    else:
        how = _SIGNED[tunnel.auth]
        said = {
            f"{own} authenticated by {tunnel.auth}": rf"authentication of '{own}' \(myself\) {how}",
            f"{peer} authenticated by {tunnel.auth}": rf"authentication of '{peer}' {how} success",
        }
    checks = [
        equal("authentication", name, bool(re.search(pattern, initiator_log)), True)
        for name, pattern in said.items()
    ]
    for way, found in (("sent", _INTERMEDIATE_SENT), ("received", _INTERMEDIATE_RECEIVED)):
        names = {match[1] for match in found.finditer(initiator_log)}
        checks.append(
            equal(
                "chain",
                f"{own}: intermediate certificates {way}",
                len(names),
                _intermediates(tunnel)[way],
            )
        )
    return checks


_INTERMEDIATE_SENT = re.compile(r"sending (?:TLS intermediate certificate|issuer cert) (.+)")
_INTERMEDIATE_RECEIVED = re.compile(r"received (?:TLS intermediate certificate|issuer cert) (.+)")


def _intermediates(tunnel: Tunnel) -> dict[str, int]:
    """Of the chains, all but the end entity and the root."""
    certificates = tunnel.certificates
    peers = [host for host in certificates if host != tunnel.initiator]
    return {
        "sent": certificates[tunnel.initiator].chain - 2 if tunnel.initiator in certificates else 0,
        "received": sum(certificates[host].chain - 2 for host in peers),
    }


def check_shaping(place: str, shaping: Shaping | None, qdiscs_json: str) -> list[Check]:
    """The queueing disciplines of one interface against what the cell asked for."""
    qdiscs = read_qdiscs(qdiscs_json)
    shaping = shaping or Shaping()
    checks = [
        equal("link", f"{place}: {kind}", kind in qdiscs, wanted is not None)
        for kind, wanted in (("tbf", shaping.rate), ("netem", shaping.netem))
    ]
    if shaping.rate and "tbf" in qdiscs:
        found = qdiscs["tbf"]["options"]["rate"] * 8
        checks.append(equal("link", f"{place}: rate (bit/s)", found, rate_bits(shaping.rate)))
    if shaping.netem and "netem" in qdiscs:
        options = qdiscs["netem"]["options"]
        found = {"limit": options["limit"], **_netem_found(options)}
        wanted = {"limit": shaping.netem_limit, **_netem_wanted(shaping.netem)}
        checks.append(equal("link", f"{place}: netem", found, wanted))
    return checks


def _netem_found(options: dict) -> dict[str, float]:
    delay, loss = options.get("delay", {}), options.get("loss-random", {})
    found = {
        "delay_s": delay.get("delay"),
        "jitter_s": delay.get("jitter"),
        "loss": loss.get("loss"),
        "rate_bits": 8 * options.get("rate", {}).get("rate", 0),
    }
    return {key: round(value, 6) for key, value in found.items() if value}


def _netem_wanted(arguments: str) -> dict[str, float]:
    wanted = {}
    if match := re.search(r"delay ([\d.]+)ms(?: ([\d.]+)ms)?", arguments):
        wanted["delay_s"] = float(match[1]) / 1e3
        if match[2]:
            wanted["jitter_s"] = float(match[2]) / 1e3
    if match := re.search(r"loss (?:random )?([\d.]+)%", arguments):
        wanted["loss"] = float(match[1]) / 100
    if match := re.search(r"rate (\S+)", arguments):
        wanted["rate_bits"] = rate_bits(match[1])
    return {key: round(value, 6) for key, value in wanted.items()}
