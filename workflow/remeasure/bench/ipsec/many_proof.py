"""Proof that each gateway has as many SAs and policies as the cell counts, all as it asks.

The daemon's log cannot prove how ends authenticated: its level is low, lest it slow the set-ups
down. The responder's connection names the method that it demands of each end, and the
daemon keeps the certificates that it used.
"""

import re
from collections.abc import Iterable
from functools import partial

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.ipsec.many import addresses
from remeasure.bench.ipsec.policies import ASK, policies_in, written
from remeasure.bench.ipsec.proof import Listings, check_all, listings_prover, of_listings
from remeasure.bench.ipsec.sas import child_sas
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.testbed.treatments.treatment import Prover, Question

_KEY = re.compile(r"^  pubkey: +(\w+ [0-9]+) bits", re.MULTILINE)
_METHOD = re.compile(r"^  (local|remote) (.+) authentication:", re.MULTILINE)
_END_ENTITIES = "List of X.509 End Entity Certificates"
_KEYS = {"ecdsa256": "ECDSA 256"}
"""kind of a certificate -> its key, as swanctl lists it, where the kind is not rsa<bits>"""


def many_provers(tunnel: Tunnel | None) -> Iterable[Prover]:
    """Each gateway has all SAs and policies; nothing where a cell has no tunnel, or one."""
    if tunnel is None or tunnel.count is None:
        return
    for gateway in tunnel.gateways:
        yield listings_prover(gateway, partial(check_many, tunnel, tunnel.count, gateway))
        policies = Question(f"proof.{gateway}.xfrm-policy.txt", ASK)
        check = partial(check_policies_of_many, tunnel, tunnel.count, gateway)
        yield Prover(gateway, [policies], check)
        certificates = Question(f"proof.{gateway}.list-certs.txt", "swanctl --list-certs")
        yield Prover(gateway, [certificates], partial(check_keys, tunnel, gateway))
    connections = Question(f"proof.{tunnel.responder}.list-conns.txt", "swanctl --list-conns")
    yield Prover(tunnel.responder, [connections], partial(check_methods, tunnel))


def check_many(
    tunnel: Tunnel, count: int, gateway: str, list_sas: str, xfrm_state: str
) -> list[Check]:
    """Number, suites, modes and replay windows of all SAs of one gateway."""
    return of_listings(
        gateway, list_sas, xfrm_state, lambda found: _check_listed(tunnel, count, gateway, found)
    )


def _check_listed(tunnel: Tunnel, count: int, gateway: str, listings: Listings) -> list[Check]:
    established, children = listings.established, listings.children
    each = sorted({len(child_sas(sa)) for sa in established})
    kernel = sorted((sa.direction, int(sa.spi, 16)) for sa in listings.kernel)
    daemon = sorted(
        (way, int(str(child[f"spi-{way}"]), 16)) for child in children for way in ("in", "out")
    )
    return [
        equal("ike-sa", f"{gateway}: IKE_SAs established", len(established), count),
        equal("child-sa", f"{gateway}: CHILD_SAs installed", len(children), count),
        equal("child-sa", f"{gateway}: CHILD_SAs of each IKE_SA", each, [1]),
        equal("child-sa", f"{gateway}: SAs of the kernel", len(kernel), 2 * count),
        equal("child-sa", f"{gateway}: kernel has the daemon's SPIs", kernel == daemon, True),
        *check_all(tunnel, gateway, listings, "IKE_SAs'", "CHILD_SAs'", "replay windows"),
    ]


def check_policies_of_many(tunnel: Tunnel, count: int, gateway: str, text: str) -> list[Check]:
    """Compare the policies that a gateway lists with the tunnel's, in each direction."""
    how = tunnel.protocol.lower(), tunnel.mode
    wanted = set()
    for number in range(count):
        own, peer = addresses(number)
        if gateway == tunnel.responder:
            own, peer = peer, own
        ways = {"in": (peer, own), "out": (own, peer), "fwd": (peer, own)}
        wanted |= {written(way, *ends, *how) for way, ends in ways.items()}
    found = set(policies_in(text))
    listed = [
        f"{len(policies)} policies, {', '.join(sorted(policies - others)[:1]) or 'none'} alone here"
        for policies, others in ((found, wanted), (wanted, found))
    ]
    return [Check("policy", f"{gateway}: policies", found == wanted, *listed)]


def check_keys(tunnel: Tunnel, gateway: str, text: str) -> list[Check]:
    """The keys of the certificates that a gateway has of both ends are the cell's; none with a
    pre-shared key."""
    _, _, listed = text.partition(_END_ENTITIES)
    listed = listed.partition("\nList of ")[0]
    kinds = [needed.kind for needed in tunnel.certificates.values()]
    wanted = [_KEYS.get(kind, f"RSA {kind.removeprefix('rsa')}") for kind in kinds]
    found = _KEY.findall(listed)
    name = f"{gateway}: keys of end entities"
    return [equal("authentication", name, found, wanted)]


def check_methods(tunnel: Tunnel, list_conns: str) -> list[Check]:
    """The responder demands the cell's method of itself and of its peer, which is all that its
    IKE_SAs can have been authenticated by."""
    wanted = "pre-shared key" if tunnel.auth == "psk" else "public key"
    checks = [
        equal("authentication", f"{tunnel.responder}: method of {end}", found, wanted)
        for end, found in _METHOD.findall(list_conns)
    ]
    name = f"{tunnel.responder}: methods of its connection"
    checks.append(equal("authentication", name, len(checks), 2))
    return checks
