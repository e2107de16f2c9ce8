"""Proof that both ends of a tunnel authenticated as the cell asks, and by how many exchanges. The
log of a daemon with many IKE_SAs cannot prove it: its level is low, lest it slow the set-ups down.
The responder's connection lists the method that it demands of each end, and daemons keep the
certificates that they used."""

import re
from collections.abc import Iterable
from functools import partial

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.ipsec.algorithms import negotiated
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.swanctl import LOG
from remeasure.bench.testbed.treatments.treatment import Prover

_SIGNED = {"psk": "with pre-shared key", "rsa": r"with RSA_EMSA\S*", "ecdsa": r"with ECDSA\S*"}
_EAP = {"eap-md5": "EAP_MD5", "eap-tls": "EAP_TLS", "eap-ttls": "EAP_TTLS"}
_KEY = re.compile(r"^  pubkey: +(\w+ [0-9]+) bits", re.MULTILINE)
_METHOD = re.compile(r"^  (local|remote) (.+) authentication:", re.MULTILINE)
_END_ENTITIES = "List of X.509 End Entity Certificates"
_INTERMEDIATE = "(?:TLS intermediate certificate|issuer cert)"
_SAID = "/authentication of|EAP method|intermediate certificate|issuer cert/p"
"""sed(1): lines that the checks need. The rest of a long log is with the run that made it"""


def authentication_provers(tunnel: IpsecTunnel) -> Iterable[Prover]:
    """From the log of the initiator's daemon or, with many IKE_SAs, from listings of both."""
    if tunnel.count is None:
        question = {f"proof.{tunnel.initiator}.charon.log": f"sed -nE '{_SAID}' {LOG}"}
        yield Prover(tunnel.initiator, question, partial(check_authentication, tunnel))
        return
    for gateway in tunnel.gateways:
        question = {f"proof.{gateway}.list-certs.txt": "swanctl --list-certs"}
        yield Prover(gateway, question, partial(check_keys, tunnel, gateway))
    question = {f"proof.{tunnel.responder}.list-conns.txt": "swanctl --list-conns"}
    yield Prover(tunnel.responder, question, partial(check_methods, tunnel))


def check_authentication(tunnel: IpsecTunnel, initiator_log: str) -> list[Check]:
    """The initiator's log must show that both ends authenticated by the cell's method, with as many
    intermediate certificates as their chains have."""
    own, peer = tunnel.initiator, tunnel.responder
    signed, myself = "rsa" if tunnel.eap else tunnel.auth, rf"authentication of '{own}' \(myself\)"
    said = {f"{own} authenticated by {tunnel.auth}": f"{myself} {_SIGNED[signed]}"}
    if tunnel.eap:
        told = rf"EAP method {_EAP[tunnel.auth]} succeeded, (no )?MSK established"
        said = dict.fromkeys(said, told) | {f"{own} used EAP": f"{myself} with EAP"}
    theirs = rf"authentication of '{peer}' {_SIGNED[signed]} success"
    said[f"{peer} authenticated by {signed}"] = theirs
    checks = [
        equal("authentication", name, bool(re.search(pattern, initiator_log)), True)
        for name, pattern in said.items()
    ]
    # Neither end entity nor root of a chain.
    between = {host: needed.chain - 2 for host, needed in tunnel.certificates.items()}
    sent, received = between.pop(own, 0), sum(between.values())
    for way, verb, wanted in (("sent", "sending", sent), ("received", "received", received)):
        names = set(re.findall(rf"{verb} {_INTERMEDIATE} (.+)", initiator_log))
        name = f"{own}: intermediate certificates {way}"
        checks.append(equal("chain", name, len(names), wanted))
    return checks


def check_keys(tunnel: IpsecTunnel, gateway: str, text: str) -> list[Check]:
    """A gateway's certificates of both ends must have the cell's kind of keys; none with a
    pre-shared key."""
    listed = text.partition(_END_ENTITIES)[2].partition("\nList of ")[0]
    listed_as = "ECDSA 256" if tunnel.auth == "ecdsa" else f"RSA {tunnel.rsa_bits}"
    wanted = [listed_as for _ in tunnel.certificates]
    found = _KEY.findall(listed)
    return [equal("authentication", f"{gateway}: keys of end entities", found, wanted)]


def check_methods(tunnel: IpsecTunnel, list_conns: str) -> list[Check]:
    """The responder must demand the cell's method of itself and of its peer: its IKE_SAs cannot
    have used any other."""
    wanted = "pre-shared key" if tunnel.auth == "psk" else "public key"
    checks = [
        equal("authentication", f"{tunnel.responder}: method of {end}", found, wanted)
        for end, found in _METHOD.findall(list_conns)
    ]
    name = f"{tunnel.responder}: methods of its connection"
    checks.append(equal("authentication", name, len(checks), 2))
    return checks


def ike_exchanges(tunnel: IpsecTunnel, radius_exchanges: int = 0) -> int:
    """Round trips between initiator and responder until both are authenticated. IKE_SA_INIT and,
    without EAP, one IKE_AUTH (RFC 7296, section 1.2); an IKE_INTERMEDIATE for each further key
    exchange (RFC 9370). With EAP an IKE_AUTH begins, one carries each of the `radius_exchanges`, of
    which the first has the identity, and one more has the AUTH payloads (RFC 7296, section
    2.16)."""
    further = sum(name.startswith("ake") for name in negotiated(tunnel.ike))
    return 1 + further + (radius_exchanges + 2 if tunnel.eap else 1)
