"""Authentications: contents of captures and logs of real ones, and requirements of the
protocols."""

import pytest
from reading import values_of

from remeasure.bench.base.topology import load_topology
from remeasure.bench.ipsec.authentication_proof import check_authentication, ike_exchanges
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.radius import radiusd_conf
from remeasure.bench.ipsec.swanctl import charon_conf, swanctl_conf
from remeasure.bench.probes.authentication import Authentication
from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.cpu_cost import CpuCost
from remeasure.bench.probes.reauthentication import Reauthentication


def tunnel(**changes) -> IpsecTunnel:
    ends = {"initiator": "initiator", "responder": "responder", "link": "access", "aaa": "aaa"}
    suites = {"ike": "aes256-sha256-x25519", "esp": "aes256-sha256", "mode": "transport"}
    return IpsecTunnel(**ends | suites | changes)


IKE, RADIUS = "strongswan-6.1.0/{}.ike.pcap.zst", "freeradius-3.2.10/{}.radius.pcap.zst"


def test_exchanges_are_those_of_the_rfcs():
    assert ike_exchanges(tunnel(auth="psk")) == 2
    assert ike_exchanges(tunnel(auth="rsa", ike="aes256-sha256-x25519-ke1_mlkem768")) == 3
    # Identity and challenge: two questions to the server, four IKE_AUTH, one IKE_SA_INIT.
    assert ike_exchanges(tunnel(auth="eap-md5"), 2) == 5


def test_agreement_fails_where_another_method_ran(fixture):
    probe = Authentication(count=5)
    observations = [
        o for name in (IKE, RADIUS) for o in probe.parse(name, fixture(name.format("eap-md5")))
    ]

    def failed(auth: str) -> list[str]:
        checks = probe.agree("x", observations, tunnel(auth=auth))
        return [check.name for check in checks if not check.passed]

    assert failed("eap-md5") == []
    assert failed("eap-tls") == ["x: EAP types", "x: RADIUS exchanges, from the lengths of TLS"]
    assert failed("psk") == ["x: IKE exchanges"]


def test_a_capture_that_lacks_an_authentication_is_refused(fixture):
    for name in (IKE, RADIUS):
        with pytest.raises(LogError, match="5 complete negotiations', expected 6"):
            Authentication(count=6).require_complete(
                name.format("x"), fixture(name.format("eap-md5"))
            )


LOSSY = ("strongswan-6.1.0/lossy.initiator.log", "strongswan-6.1.0/lossy.ike.pcap.zst")


def test_a_set_up_that_is_given_up_is_counted(fixture):
    """Six set-ups over a link that lost 38 % each way; charon gave up the last two."""
    for log in LOSSY:
        Authentication(count=6).require_complete(log, fixture(log))
        with pytest.raises(LogError, match="6 complete negotiations', expected 7"):
            Authentication(count=7).require_complete(log, fixture(log))
    values = values_of(Authentication, "x.initiator.log", fixture(LOSSY[0]))
    assert values["failed"] == [1, 1] and len(values["delay"]) == 4
    # Waits of 4, 7.2, 12.96 s and once more 4 s, and two round trips of 50 ms.
    assert values["delay"][0] == pytest.approx(1e3 * (4 + 7.2 + 12.96 + 4) + 100, abs=1)
    assert values["sent_datagrams"][0] == 4 + 2
    assert values["ike_retransmits"] == [n - 2 for n in values["sent_datagrams"]]


def test_log_and_capture_of_a_lossy_link_agree(fixture):
    probe, psk = Authentication(count=6), tunnel(auth="psk", aaa=None)
    log, capture = (list(probe.parse(name, fixture(name))) for name in LOSSY)
    assert all(check.passed for check in probe.agree("x", log + capture, psk))

    def failed(changed) -> list[str]:
        checks = probe.agree("x", [*changed, *capture], psk)
        return [check.name for check in checks if not check.passed]

    seen = [o for o in log if o.metric != "failed"]
    assert failed(seen) == ["x: failed set-ups, log and capture"]
    # More received than were captured, and a difference where nothing was sent again.
    for metric, value in (("received_datagrams", 9), ("ike_retransmits", 0)):
        changed = [o._replace(value=value) if o.metric == metric else o for o in log]
        assert failed(changed) == ["x: set-ups whose datagrams log and capture tell apart"]


def test_an_echo_waits_for_a_negotiation(fixture):
    probe = Reauthentication(source="initiator", target="responder", count=2, interval=5)
    observations = [
        *probe.parse("x.log", fixture("iputils-20250605/on-demand.log")),
        *probe.parse("x.charon.log", fixture("strongswan-6.1.0/on-demand.charon.log")),
    ]
    assert all(c.passed for c in probe.agree("x", observations, None))
    other = probe.model_copy(update={"count": 3})
    assert not any(c.passed for c in other.agree("x", observations, None))


@pytest.mark.parametrize(
    ("lines", "metric", "ms"),
    [
        ([f"7 (charon) S 1 7 7 0 -1 0 0 0 0 0 {n} 0 0 0 20 0" for n in (5, 7, 21)], "daemon", 30),
        ([f"--- guest ns\n{ns}" for ns in (5_000_000, 7_500_000, 30_000_000)], "guest", 5),
    ],
)
def test_cost_is_what_exceeds_the_idle_commands(lines, metric, ms):
    marks = ("begin", "idle", "authenticated")
    text = "".join(f"=== {m} 4\n{line}\n" for m, line in zip(marks, lines, strict=True))
    name = {"daemon": "aaa_daemon_cpu", "guest": "aaa_cpu"}[metric]
    assert values_of(CpuCost, "cost-01.aaa.txt", text.encode()) == {name: [ms]}
    with pytest.raises(LogError, match="2 readings', expected begin, idle"):
        values_of(CpuCost, "cost-01.aaa.txt", text.partition("=== authenticated")[0].encode())
    with pytest.raises(
        LogError, match=r"cost-01.aaa.txt:1: found .*'x.*expected a log of cpu_cost"
    ):
        spoiled = text.replace(lines[0].splitlines()[-1], "x", 1)
        values_of(CpuCost, "cost-01.aaa.txt", spoiled.encode())


def test_methods_are_told_apart_by_the_log(fixture):
    log = fixture("strongswan-6.1.0/eap-md5.log").decode()
    assert all(c.passed for c in check_authentication(tunnel(auth="eap-md5"), log))
    for auth in ("eap-tls", "eap-ttls", "psk", "ecdsa"):
        assert not all(c.passed for c in check_authentication(tunnel(auth=auth), log))


def test_secrets_and_certificates_go_where_they_belong():
    topology, tls = load_topology("aaa"), tunnel(auth="eap-tls", chains=[2, 4], inactivity=3)
    chains = {host: certificate.chain for host, certificate in tls.certificates.items()}
    assert chains == {"initiator": 2, "responder": 2, "aaa": 4}
    assert "responder" not in tunnel(auth="psk").certificates
    assert set(tunnel(auth="eap-md5").certificates) == {"responder"}
    assert "hidden" in charon_conf(tls, topology, "responder", "hidden")
    assert "radius" not in charon_conf(tls, topology, "initiator", "hidden")
    initiator, responder = (
        swanctl_conf(tls, topology, host, secret)
        for host, secret in (("initiator", "hidden"), ("responder", None))
    )
    assert "aaa_id = aaa" in initiator and "hidden" in initiator
    assert "inactivity = 3s" in responder and "inactivity" not in initiator
    for text in (initiator, responder, radiusd_conf(tls, topology, "hidden")):
        assert text.count("{") == text.count("}")


def test_eap_needs_a_server():
    with pytest.raises(ValueError, match="eap-md5 needs aaa"):
        tunnel(auth="eap-md5", aaa=None)
