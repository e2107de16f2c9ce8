"""Two files of wg-quick(8), or one and its mirror: what is read, and an event in a guest."""

import base64
from pathlib import Path

import pytest
from cases import cases
from real_guests import run_inside

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.image import is_built
from remeasure.bench.lab.namespace import enter
from remeasure.bench.lab.virtual.guest import get_parts
from remeasure.bench.tryout.running_pair import Way
from remeasure.bench.tryout.try_events import observed
from remeasure.bench.tryout.wireguard.quick_file import is_quick, public_key
from remeasure.bench.tryout.wireguard.quick_pair import CONF, read_quick_pair
from remeasure.bench.tryout.wireguard.running_wireguard import RunningWireguard, set_up_wireguard

TEXTS = {name: cases(__file__, name) for name in ("client", "server", "site", "far_site")}
KEYS = {
    side: base64.b64encode(side.ljust(32).encode()).decode() for side in ("left", "right", "third")
}


@pytest.fixture
def read(tmp_path):
    """Read a pair of texts, or one and its mirror."""

    def of(*texts):
        paths = [tmp_path / f"{side}.conf" for side in ("left", "right")]
        for path, text in zip(paths, texts, strict=False):
            path.write_text(text)
        return read_quick_pair(paths[0], paths[1] if len(texts) > 1 else None)

    return of


def shown(pair) -> dict:
    return {
        end.name: f"{end.child} {end.outer} host {end.host}{' behind ' * end.behind}{end.lan} "
        f"{'/'.join(end.starts)}{' able' * end.can_initiate}"
        for end in pair.ends
    }


def settings(pair, side: str) -> list[str]:
    """Lines of the file of an end, without made keys, and without empty ones."""
    text = getattr(pair, side).files[CONF]
    return [one.split("=")[0].strip() if "Key" in one else one for one in text.split("\n") if one]


def test_a_client_and_a_server_with_redacted_keys(read):
    pair = read(TEXTS["client"], TEXTS["server"])
    assert shown(pair) == {
        "left": "peer1 192.0.2.1 host 10.6.0.2 trap able",
        "right": "peer2 198.51.100.1 host 10.6.0.1 trap",
    }
    assert sorted(settings(pair, "left")) == [
        "Address = 10.6.0.2/32, fd42::2/128",
        "AllowedIPs = 0.0.0.0/0, ::/0",
        "Endpoint = vpn.example.org:51820",
        "PresharedKey",
        "PrivateKey",
        "PublicKey",
        "[Interface]",
        "[Peer]",
    ]
    files, peers = pair.files, pair.peers
    for side, other in (("left", "right"), ("right", "left")):
        private = files[other].interface.text("PrivateKey")
        assert f"PublicKey = {public_key(private)}\n" in getattr(pair, side).files[CONF]
    assert peers["left"]["PresharedKey"] == peers["right"]["PresharedKey"]
    assert pair.misfits == pair.notes == []
    assert pair.left.names == {"vpn.example.org": pair.right.outer}
    assert [*pair.right.names] == ["other.example.org"]
    assert pair.versions == {4, 6}
    assert pair.right.notes == [
        "its private key is not in the file: another one was made",
        "its preshared key is not in the file",
        "no file names its address: 198.51.100.1 assumed",
        "only peer2 is tried; 1 more are loaded",
        "PostUp left out: the lab runs no scripts",
    ]


def test_networks_behind_both_ends(read):
    pair = read(TEXTS["site"], TEXTS["far_site"])
    assert shown(pair) == {
        "left": "peer1 192.0.2.1 host 192.168.10.2 behind 192.168.10.1/24 start able",
        "right": "peer1 203.0.113.9 host 192.168.20.2 behind 192.168.20.1/24 trap able",
    }


@pytest.mark.parametrize(
    ("name", "interface", "peer", "host"),
    [
        ("client", ["ListenPort = 51820"], ["AllowedIPs = 10.6.0.2/32, fd42::2/128"], "198.18.2.2"),
        ("site", ["Address = 10.7.0.2/32", "ListenPort = 51821"], ["AllowedIPs = 10.7.0.1/32"],
         "192.168.20.2"),
    ],
)  # fmt: skip
def test_a_mirror_of_one_file(read, name, interface, peer, host):
    pair = read(TEXTS[name])
    shared = ["PresharedKey"] if "Preshared" in TEXTS[name] else []
    assert sorted(settings(pair, "right")) == sorted(
        ["[Interface]", "PrivateKey", *interface, "[Peer]", "PublicKey", *shared, *peer]
    )
    assert str(pair.right.host) == host
    assert pair.notes == ["right was made by mirroring left's [Peer]"]


def test_keys_of_the_files_are_kept_and_misfits_named(read):
    texts = [TEXTS["site"], TEXTS["far_site"]]
    for number, (own, peer) in enumerate((("left", "right"), ("right", "third"))):
        key, public = KEYS[own], public_key(KEYS[peer])
        texts[number] = texts[number].replace("[Interface]", f"[Interface]\nPrivateKey = {key}")
        texts[number] = texts[number].replace("[Peer]", f"[Peer]\nPublicKey = {public}")
    texts[1] = texts[1].replace("ListenPort = 51821\n", "")
    texts[1] = texts[1].replace("10.7.0.1/32, 192.168.10.0/24", "10.7.0.9/32")
    pair = read(*texts)
    assert pair.left.files[CONF] == texts[0]
    assert pair.misfits == [
        "left's Endpoint has port 51821, but right's ListenPort is a random one",
        "right's PublicKey does not belong to left's PrivateKey",
        "right's AllowedIPs lack 10.7.0.1, left's Address",
    ]
    assert pair.notes == pair.misfits


def test_an_address_that_the_peer_does_not_allow_is_no_network_behind_an_end(read):
    pair = read(TEXTS["client"], TEXTS["server"].replace("10.6.0.2/32", "10.6.0.9/32"))
    assert pair.misfits == ["right's AllowedIPs lack 10.6.0.2, left's Address"]


def test_a_table_of_its_own_leads_no_traffic_into_the_tunnel(read):
    off = TEXTS["client"].replace("DNS = 192.0.2.53", "Table = off")
    assert read(off, TEXTS["server"]).only_set_up == (
        "left has Table = off, so no route leads into the tunnel"
    )


@pytest.mark.parametrize(("name", "old", "new", "expected"), cases(__file__, "refused"))
def test_refused(read, tmp_path, name, old, new, expected):
    with pytest.raises(UserError) as error:
        read(TEXTS[name].replace(old, new))
    assert str(error.value) == f"{tmp_path}/{expected}"


def test_a_file_is_told_by_its_heads(tmp_path):
    path = tmp_path / "one.conf"
    for text, expected in ((TEXTS["client"], True), ("connections {\n}\n", False)):
        path.write_text(text)
        assert is_quick(path) is expected


def run_guests(folder: str) -> dict:
    pair = read_quick_pair(Path(folder, "left.conf"), Path(folder, "right.conf"))
    parts = get_parts("instructions")
    enter(tun=False)
    found = {}
    for name in ("set_up", "stop"):
        with RunningWireguard(parts, pair, Way(), False, "test") as running:
            ask = set_up_wireguard if name == "set_up" else lambda one: observed(one, "stop", 1)
            found[name] = ask(running)
    return found


@pytest.mark.lab
@pytest.mark.skipif(
    not is_built("instructions"), reason="env/guest/kernel/build instructions makes it, in 6 min"
)
def test_a_full_tunnel_comes_up_and_leaks_while_its_interface_is_away(shared_project, tmp_path):
    (tmp_path / "left.conf").write_text(TEXTS["client"])
    (tmp_path / "right.conf").write_text(TEXTS["server"])
    found = run_inside(shared_project, run_guests, tmp_path)
    up = found["set_up"]
    # An initiation has 148 bytes, a response 92; then the initiator sends at once.
    assert up["negotiation"] == {"exchanges": 1, "datagrams": 2, "bytes": 240, "fragments": {}}
    assert up["took_ms"] == pytest.approx(50, abs=0.1)
    assert up["began"] == "trap"
    assert up["answered"]
    assert up["children"][0]["remote"] == ["0.0.0.0/0", "::/0"]
    (left,) = found["stop"]["ends"]["left"]
    assert left["leaked_s"]["left"] == pytest.approx(20, abs=2 * left["grain_s"])
    assert left["leaked_s"]["right"] == 0
    assert left["back_s"] == pytest.approx(20, abs=2 * left["grain_s"])
    assert left["up"]
