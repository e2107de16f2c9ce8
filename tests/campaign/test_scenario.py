"""Scenario files: what they mean, and what is refused in them."""

import pytest
from small_scenario import ESP, PING, TUNNEL, scenario

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import scenario_names
from remeasure.bench.campaign.profiles import profile_names
from remeasure.bench.campaign.scenario import key_of, load_scenario

FTP = {"probe": "ftp", "client": "client1", "server": "client2", "files": 1, "megabytes": 1}
SITES = {"protects": {"gw1": "site1", "gw2": "site2"}}


@pytest.mark.parametrize("profile", profile_names())
@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_of_ours_loads_under_every_profile(name, profile):
    assert load_scenario(name, profile).cells


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"factor": {}}, "factor: unknown field"),
        ({"probes": {"p": {"probe": "pong"}}}, "unknown probe 'pong'; known: .*iperf2, iperf3"),
        (
            {"probes": {"p": {"probe": "ping", "source": "client1"}}},
            "p.target: required, but not there",
        ),
        ({"probes": {"p": PING | {"target": "client9"}}}, "probes.p.target: no host 'client9'"),
        ({"shaping": {"gw1.lan": {"rate": "1mbit"}}}, "shaping.gw1.lan: no such interface"),
        ({"shaping": {"gw1.wan": {"rate": "fast"}}}, "shaping.gw1.wan.rate"),
        ({"topology": "ring"}, "ring.yaml: no such file; topologies known: .*site-to-site"),
        ({"factors": {"a": {"x": {"tunel": {}}}}}, "cell a=x: tunel: unknown field"),
        (
            {"factors": {"a": {"x": {"shaping": {"gw1.wan": {"netm": "loss 1%"}}}}}},
            "cell a=x: shaping.gw1.wan.netm: unknown field",
        ),
        (
            {"tunnel": ESP | {"responder": "gw9"}},
            "tunnel.responder: no host 'gw9'",
        ),
        ({"probes": {"i": {"probe": "ike_setup", "daemon": "warm"}}}, "probes.i: needs a tunnel"),
        ({"shaping": {"gw1.wan": {"netem": "reorder 5%"}}}, "shaping.gw1.wan.netem"),
        (
            {"tunnel": TUNNEL | {"esp": "aes129-sha1"}},
            "esp: unknown algorithm 'aes129'.*known: des",
        ),
        ({"tunnel": TUNNEL | {"ah": "aes128-sha1"}}, "ah: AH does not encrypt"),
        ({"tunnel": TUNNEL | {"esp": "sha1"}}, "esp: no encryption algorithm"),
        ({"tunnel": TUNNEL}, "needs a proposal for one protocol, esp or ah"),
        (
            {"tunnel": ESP, "factors": {"w": {"8192": {"tunnel": {"replay_window": 8192}}}}},
            r"^small.yaml: cell w=8192: tunnel.replay_window: .* less than or equal to 4096 "
            r"\(found 8192\)$",
        ),
        ({"probes": {"p": PING | {"each": ["count"]}}}, "p.each: found .*expected factor: levels"),
        (
            {"probes": {"p": PING | {"each": {"count": 3}}}},
            "p.each.count: found 3, expected a list",
        ),
        (
            {"probes": {"p": PING | {"each": {"cuont": [3]}}}},
            "p.3.cuont: unknown field .*did you mean count",
        ),
        ({"probes": {"p": PING | {"each": {"probe": ["x"]}}}}, "tables have a column of this name"),
        ({"probes": {"p": PING | {"each": {"a": {"x": {}}}}}}, "a is a factor between trials too"),
        (
            {
                "probes": {
                    "f": {
                        "probe": "ditg",
                        "sender": "client9",
                        "receiver": "client2",
                        "duration": 1,
                        "transport": "udp",
                        "payload": 64,
                        "rate": "1pps",
                    }
                }
            },
            "no host 'client9'",
        ),
        ({"factors": {"probe": {"x": {}}}}, "factors.probe: the tables have a column of this name"),
        ({"factors": {"low": {"x": {}}}}, "factors.low: the tables have a column of this name"),
        ({"factors": {"a b": {"x": {}}}}, "factors.a b: not a name of a factor; expected letters"),
        ({"factors": {"a": {"x/y": {}}}}, "factors.a: level 'x/y': not a name; expected letters"),
        (
            {"probes": {"p": PING | {"each": {"size": ["../x"]}}}},
            "p.each.size: level '../x': not a name",
        ),
        ({"probes": {"p/q": PING}}, "p/q: not a name of a probe; expected letters"),
        ({"probes": {"p": PING | {"cout": 3}}}, "p.cout: unknown field .*did you mean count"),
        (
            {"tunnel": ESP | {"on_demand": True, "per_cpu": "yes"}},
            "tunnel.per_cpu yes needs cpus",
        ),
        ({"factors": {"index": {"x": {}}}}, "factors.index: the tables have a column of this name"),
        (
            {"factors": {"verdict": {"x": {}}}},
            "factors.verdict: the tables have a column of this name",
        ),
        (
            {"probes": {"p": PING | {"each": {"verdict": ["x"]}}}},
            "p.each.verdict: the tables have a column of this name",
        ),
        (
            {"probes": {"c": {"probe": "clock", "host": "nosuch", "step_ms": 20}}},
            "small.yaml: cell a=x b=u: probes.c.host: no host 'nosuch' .*known: client1, gw1",
        ),
        ({"tunnel": ESP | {"aaa": "radius"}}, "tunnel.aaa: no host 'radius'"),
        (
            {"tunnel": ESP | {"protects": {"gw1": "site1", "gw9": "site2"}}},
            "tunnel.protects: no host 'gw9'",
        ),
        ({"only": {"a": ["x", "z"]}}, r"only.a: found \['z'\], expected levels of factors.a"),
        ({"only": {"c": ["x"]}}, "only.c: found"),
        ({"probes": {"p.q": PING}}, "p.q: the name of a probe has no dot"),
        (
            {"factors": {"a": {"x": {"probes": {"q": None}}}}},
            "small.yaml: cell a=x: probes.q: found null, which leaves a probe out; expected one of "
            "the scenario's own: p",
        ),
        ({"factors": {"a": {"x": {"probes": {"p": None}}}}}, "cell a=x: probes"),
        (
            {"topology": "site-to-site-v6", "probes": {"d": FTP}},
            "probes.d: found topology site-to-site-v6, whose addresses are of IPv6; expected IPv4 "
            "for probe ftp: use another topology",
        ),
        (
            {"topology": "site-to-site-v6", "tunnel": ESP | SITES | {"on_demand": True}},
            "tunnel.on_demand: found True, expected False; found topology site-to-site-v6",
        ),
        (
            {"topology": "site-to-site-v6", "tunnel": ESP | SITES | {"fragmentation": False}},
            "tunnel.fragmentation: found False, expected True; found topology",
        ),
        ({"blocks": 0}, "blocks: Input should be greater than or equal to 1 .found 0"),
    ],
)
def test_a_wrong_scenario_is_one_clear_message(changes, message):
    with pytest.raises(UserError, match=message) as error:
        scenario(**changes)
    assert "\n" not in str(error.value)


def test_levels_overlay_settings():
    small = scenario(
        shaping={"gw1.wan": {"rate": "100mbit"}},
        factors={
            "network": {"plain": {}, "slow": {"shaping": {"gw1.wan": {"netem": "delay 9ms"}}}}
        },
    )
    slow = small.settings({"network": "slow"}).shaping["gw1.wan"]
    assert (slow.rate, slow.netem) == ("100mbit", "delay 9ms")
    assert small.settings({"network": "plain"}).shaping["gw1.wan"].netem is None


def test_a_level_may_leave_a_probe_out():
    """Whatever a later factor says of it."""
    factors = {
        "a": {"all": {}, "few": {"probes": {"p": None}}},
        "b": {"u": {}, "long": {"probes": {"p": {"count": 9}}}},
    }
    small = scenario(factors=factors, probes={"p": PING, "q": PING})
    found = {key_of(cell): list(small.settings(cell).probes) for cell in small.cells}
    assert found == {
        "a=all b=u": ["p", "q"],
        "a=all b=long": ["p", "q"],
        "a=few b=u": ["q"],
        "a=few b=long": ["q"],
    }


def test_a_profile_may_leave_levels_out():
    small = scenario(only={"b": ["w"]})
    assert [key_of(cell) for cell in small.cells] == ["a=x b=w", "a=y b=w"]


def test_settings_of_a_tunnel_mean_nothing_without_one():
    factors = {
        "suite": {"none": {"tunnel": None}, "ah": {"tunnel": {"ah": "sha1"}}},
        "mode": {"transport": {"tunnel": {"mode": "transport"}}},
    }
    small = scenario(tunnel=TUNNEL, factors=factors)
    bare, ah = (small.settings(cell).tunnel for cell in small.cells)
    assert bare is None
    assert (ah.protocol, ah.mode) == ("AH", "transport")


@pytest.mark.parametrize("profile", ["quick", "paper"])
def test_what_study_pratama_states_is_asked_of_its_two_arms_alone(profile):
    """What goes through the tunnel is measured with them alone; each level says how many packets
    its IKE_AUTH request fills."""
    psk_rsa = load_scenario("psk-rsa", profile)
    probes = {cell["auth"]: psk_rsa.settings(cell).probes for cell in psk_rsa.cells}
    assert [auth for auth, of in probes.items() if "udp_up" in of] == ["psk", "rsa"]
    assert all([*of][:2] == ["ike_restarted", "ike_warm"] for of in probes.values())
    assert {auth: of["ike_warm"].request_packets for auth, of in probes.items()} == {
        "psk": 1,
        "rsa": 2,
        "rsa-one-packet": 1,
        "rsa-ip-fragments": 2,
        "ecdsa": 1,
    }
