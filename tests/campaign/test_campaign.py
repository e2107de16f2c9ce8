"""Plans, resuming, archives, frozen settings, releases."""

import hashlib
import json
import shutil

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from remeasure.campaign import folder as campaign_folder
from remeasure.campaign import release
from remeasure.campaign.archive import BlockArchive, pack
from remeasure.campaign.plan import block_order, probe_order
from remeasure.campaign.profiles import profile_names
from remeasure.campaign.scenario import Scenario, key_of, load_scenario, scenario_path
from remeasure.campaign.staging import Staging
from remeasure.errors import UserError


def document(**changes) -> dict:
    return {
        "study": "none",
        "title": "t",
        "topology": "site-to-site",
        "blocks": 2,
        "factors": {"a": {"x": {}, "y": {}}, "b": {"u": {}, "v": {}, "w": {}}},
        "probes": {
            "p": {
                "probe": "ping",
                "source": "client1",
                "target": "client2",
                "count": 3,
                "interval": 0.2,
            }
        },
    } | changes


PING = document()["probes"]["p"]
TUNNEL = {"initiator": "gw1", "responder": "gw2", "link": "wan", "ike": "aes128-sha1-modp2048"}
ESP = TUNNEL | {"esp": "aes128-sha1"}


def scenario(**changes) -> Scenario:
    return Scenario("small", document(**changes), "smoke", "small.yaml")


@given(seed=st.integers(), block=st.integers(1, 99), levels=st.integers(1, 7))
def test_a_block_has_every_cell_once_in_an_order_the_seed_decides(seed, block, levels):
    small = scenario(factors={"a": {f"l{i}": {} for i in range(levels)}, "b": {"u": {}, "v": {}}})
    order = block_order(small, seed, block)
    assert sorted(map(key_of, order)) == sorted(map(key_of, small.cells))
    assert order == block_order(small, seed, block)


def test_blocks_have_different_orders():
    orders = {tuple(map(key_of, block_order(scenario(), 1, block))) for block in range(1, 21)}
    assert len(orders) > 10


@settings(deadline=None)
@given(st.data())
def test_resuming_measures_every_trial_once_and_loses_nothing(tmp_path_factory, data):
    """A run is killed in the middle of a trial any number of times."""
    archive = tmp_path_factory.mktemp("campaign") / "block-01.zip"
    trials, finished_by_us, kills = 4, [], 0
    while True:
        alive_for = data.draw(st.integers(0, trials))
        with Staging(archive) as staging:
            todo = [i for i in range(1, trials + 1) if i not in staging.finished]
            for order in todo:
                part, attempt = staging.begin(order)
                (part / "probe.log").write_text(f"{order} {attempt}")
                if alive_for == 0 and kills < 6:
                    kills += 1
                    break  # killed: the lock goes with the process, the folder stays
                alive_for -= 1
                staging.finish(order, {"order": order, "attempt": attempt})
                finished_by_us.append(order)
            else:
                staging.write_block({})
                staging.pack()
                break
    assert sorted(finished_by_us) == [1, 2, 3, 4]
    block = BlockArchive(archive)
    assert [trial.record["order"] for trial in block.trials] == [1, 2, 3, 4]
    names = block._zip.namelist()
    assert sum("attempt-" in name for name in names) == kills
    assert sum(t.record["attempt"] - 1 for t in block.trials) == kills
    assert not archive.with_suffix(".staging").exists()


def test_two_processes_cannot_measure_the_same_block(tmp_path):
    with (
        Staging(tmp_path / "block-01.zip"),
        pytest.raises(UserError, match="another process"),
        Staging(tmp_path / "block-01.zip"),
    ):
        pass


def test_archives_are_deterministic_and_damage_is_named(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name / "trials/0001").mkdir(parents=True)
        (tmp_path / name / "block.json").write_text("{}")
        (tmp_path / name / "trials/0001/ping.log").write_text("hello\n" * 100)
        pack(tmp_path / name, tmp_path / f"{name}.zip")
    content = (tmp_path / "one.zip").read_bytes()
    assert content == (tmp_path / "two.zip").read_bytes()
    with pytest.raises(UserError, match="no such block"):
        BlockArchive(tmp_path / "three.zip")
    (tmp_path / "cut.zip").write_bytes(content[:-30])
    with pytest.raises(UserError, match="cut.zip: not a block archive"):
        BlockArchive(tmp_path / "cut.zip")


@pytest.mark.parametrize("profile", profile_names())
@pytest.mark.parametrize(
    "path", sorted(scenario_path("x").parent.glob("*.yaml")), ids=lambda p: p.stem
)
def test_every_scenario_of_ours_loads_under_every_profile(path, profile):
    assert load_scenario(path.stem, profile).cells


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"factor": {}}, "factor: unknown field"),
        ({"probes": {"p": {"probe": "pong"}}}, "unknown probe 'pong'; known: .*iperf2, iperf3"),
        ({"probes": {"p": {"probe": "ping", "source": "client1"}}}, "p.target: Field required"),
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
        ({"probes": {"p": PING | {"each": ["count"]}}}, "p.each: found .*expected factor: levels"),
        (
            {"probes": {"p": PING | {"each": {"count": 3}}}},
            "p.each.count: found 3, expected a list",
        ),
        ({"probes": {"p": PING | {"each": {"cuont": [3]}}}}, "p.3.cuont: Extra inputs"),
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


@pytest.fixture
def raw(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign_folder, "RAW", tmp_path)
    return tmp_path


def test_a_campaign_keeps_the_settings_it_began_with(raw):
    psk_rsa = load_scenario("psk-rsa", "smoke")
    testbed = {"name": "lab", "backend": "uml"}
    campaign_folder.freeze("mine", psk_rsa, 1, testbed, "abc")
    campaign_folder.freeze("mine", psk_rsa, 1, testbed, "def")  # a later block of the same
    with pytest.raises(UserError, match="other settings .*seed: then 1, now 2"):
        campaign_folder.freeze("mine", psk_rsa, 2, testbed, "abc")
    with pytest.raises(UserError, match="testbed.backend: then 'uml', now 'ssh'"):
        campaign_folder.freeze("mine", psk_rsa, 1, testbed | {"backend": "ssh"}, "abc")
    with pytest.raises(UserError, match="begun with profile smoke, found profile=paper"):
        campaign_folder.choose_scenario("mine", "psk-rsa", "paper")
    path = raw / "mine" / "campaign.yaml"
    frozen = yaml.safe_load(path.read_text())
    frozen["scenarios"]["psk-rsa"]["tunnel"]["replay_window"] = 64
    path.write_text(yaml.safe_dump(frozen))
    with pytest.raises(UserError, match="psk-rsa.tunnel.replay_window: then 64, now 32"):
        campaign_folder.freeze("mine", psk_rsa, 1, testbed, "abc")


def test_a_new_campaign_needs_a_profile(raw):
    with pytest.raises(UserError, match="'mine' has no blocks yet.*profile=smoke.quick.paper"):
        campaign_folder.choose_scenario("mine", "psk-rsa", None)
    with pytest.raises(UserError, match="profile 'huge': unknown; known: smoke, quick, paper"):
        campaign_folder.choose_scenario("mine", "psk-rsa", "huge")


def test_a_release_is_verified_file_by_file(raw):
    block = raw / "mine" / "psk-rsa" / "block-01.zip"
    block.parent.mkdir(parents=True)
    with pytest.raises(UserError, match="no blocks to release"):
        release.write_manifest("mine")
    block.write_bytes(b"data")
    path = release.write_manifest("mine")
    listed = json.loads(path.read_text())["files"]["psk-rsa/block-01.zip"]
    assert listed == {"bytes": 4, "sha256": hashlib.sha256(b"data").hexdigest()}
    assert release.verify_campaign("mine") == 1
    block.write_bytes(b"dada")
    with pytest.raises(UserError, match="block-01.zip: not as released: sha256"):
        release.verify_campaign("mine")
    block.unlink()
    with pytest.raises(UserError, match="block-01.zip: missing.*never measured again"):
        release.verify_campaign("mine")
    shutil.rmtree(raw / "mine" / "psk-rsa")
    assert release.released_files("mine") == ["psk-rsa/block-01.zip"]
    assert release.released_files("other") is None


def test_a_profile_may_leave_levels_out():
    small = scenario(only={"b": ["w"]})
    assert [key_of(cell) for cell in small.cells] == ["a=x b=w", "a=y b=w"]


def test_each_makes_one_probe_a_combination_in_random_order():
    each = {"count": [1, 2], "pace": {"slow": {"interval": 1}, "fast": {"interval": 0.1}}}
    small = scenario(probes={"first": PING, "p": PING | {"each": each}, "last": PING})
    cell = small.cells[0]
    orders = [list(probe_order(small, 1, block, cell)) for block in range(1, 30)]
    names = ["p.1.slow", "p.1.fast", "p.2.slow", "p.2.fast"]
    assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(["first", *names, "last"]))}
    assert {(order[0], order[-1]) for order in orders} == {("first", "last")}
    assert len({tuple(order) for order in orders}) > 10
    probe = small.settings(cell).probes["p.2.fast"]
    assert (probe.count, probe.interval) == (2, 0.1)
    assert probe.levels == {"count": "2", "pace": "fast"}


def test_settings_of_a_tunnel_mean_nothing_without_one():
    factors = {
        "suite": {"none": {"tunnel": None}, "ah": {"tunnel": {"ah": "sha1"}}},
        "mode": {"transport": {"tunnel": {"mode": "transport"}}},
    }
    small = scenario(tunnel=TUNNEL, factors=factors)
    bare, ah = (small.settings(cell).tunnel for cell in small.cells)
    assert bare is None
    assert (ah.protocol, ah.mode) == ("AH", "transport")
