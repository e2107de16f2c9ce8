"""Many IKE_SAs between two gateways: configuration, and proof from real listings of ten."""

import re
from functools import partial

import pytest
from cases import cases
from pydantic import ValidationError
from tunnels import failed

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import load_topology
from remeasure.bench.campaign.scenario import Scenario, load_scenario
from remeasure.bench.ipsec.authentication_proof import check_keys, check_methods
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.proof import check_policies, check_sas
from remeasure.bench.probes.many_sas import require_memory

TOPOLOGY = load_topology("host-to-host")
STRONGSWAN, IPROUTE = "strongswan-6.1.0/many-10-rsa", "iproute2-7.2.0/many-10"
FIELDS = {
    "initiator": "left",
    "responder": "right",
    "link": "wire",
    "ike": "aes256-sha256-x25519",
    "esp": "aes128gcm16",
}
TEN = IpsecTunnel(**FIELDS, auth="rsa", count=10)


@pytest.mark.parametrize("other", cases(__file__, "many_go_with_nothing_else"))
def test_many_go_with_nothing_else(other):
    with pytest.raises(ValidationError, match="count needs mode tunnel without"):
        IpsecTunnel(**{**FIELDS, **other}, count=10)


@pytest.mark.parametrize(("changes", "reason"), cases(__file__, "probe_and_tunnel_belong_together"))
def test_probe_and_tunnel_belong_together(changes, reason):
    ten = {"only": {}, "factors": {"arm": {"one": {"tunnel": {"count": 10}}}}}
    changed = load_scenario("many-tunnels", "smoke").document | ten | changes
    with pytest.raises(UserError, match=reason):
        Scenario("many-tunnels", changed, "smoke", "many_tunnels/scenario.yaml")


def test_memory_too_small_is_one_line():
    require_memory("left", 100 * 1024, 1000)
    with pytest.raises(UserError) as refused:
        require_memory("left", 100 * 1024, 2000)
    assert str(refused.value) == (
        "left: found 100 MiB of free memory, expected 141 MiB for 2000 IKE_SAs; give hosts more "
        "(memory_mib of the testbed), or ask for fewer (tunnel.count)"
    )


CHECKS = {
    "sas": (
        partial(check_sas, TEN, "left", used=False),
        [f"{STRONGSWAN}.left.list-sas.txt", f"{IPROUTE}-left.txt"],
    ),
    "policies": (partial(check_policies, TEN, TOPOLOGY, "left"), [f"{IPROUTE}-left.policy.txt"]),
    "policies, responder": (
        partial(check_policies, TEN, TOPOLOGY, "right"),
        [f"{IPROUTE}-right.policy.txt"],
    ),
    "sas, responder": (
        partial(check_sas, TEN, "right", used=False),
        [f"{STRONGSWAN}.right.list-sas.txt", f"{IPROUTE}-right.txt"],
    ),
    "keys": (partial(check_keys, TEN, "left"), [f"{STRONGSWAN}.left.list-certs.txt"]),
    "methods": (partial(check_methods, TEN), [f"{STRONGSWAN}.right.list-conns.txt"]),
}


@pytest.mark.parametrize("name", CHECKS)
def test_proof_holds(fixture, name):
    check, files = CHECKS[name]
    assert failed(check(*[fixture(file).decode() for file in files])) == []


@pytest.mark.parametrize(("name", "change", "reason"), cases(__file__, "proof_fails"))
def test_proof_fails(fixture, name, change, reason):
    check, files = CHECKS[name]
    first, *others = [fixture(file).decode() for file in files]
    found = failed(check(*[first.replace(*change, 1), *others]))
    assert found and any(re.search(reason, one) for one in found), found


def test_an_sa_that_the_kernel_lacks_is_found(fixture):
    check, files = CHECKS["sas"]
    listed, kernel = (fixture(file).decode() for file in files)
    second = kernel.index("\nsrc ", 1) + 1
    found = failed(check(listed, kernel[second:]))
    assert "left: SAs of the kernel: found 19, expected 20" in found
    assert any("SAs of the daemon that the kernel lacks: found [(" in one for one in found)
    psk = IpsecTunnel(**FIELDS, auth="psk", count=10)
    assert failed(check_keys(psk, "left", "")) == [], "it needs no certificate"
