"""An impossible inventory is refused as it is read, with the reason."""

import paramiko
import pytest

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import CONFIG
from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab.testbeds import load_testbed
from remeasure.bench.measure import ready
from remeasure.bench.testbed.borrowing.borrowed import Borrowed
from remeasure.bench.testbed.inventory import Inventory, Login

KEY = paramiko.ECDSAKey.generate()
ENCODED = KEY.get_base64()


def host(role: str, **changes) -> dict:
    where = {"address": "127.0.0.1", "port": 1, "key": "none", "interfaces": {"wire": "eth1"}}
    return {"name": f"machine-{role}", "roles": [role]} | where | changes


def inventory(*hosts: dict) -> Inventory:
    return config.validate(Inventory, {"name": "mine", "hosts": list(hosts)}, "mine.yaml")


def login(text: str) -> Login:
    return config.validate(Login, {"address": "a", "key": "k", "host_key": text}, "mine.yaml")


@pytest.mark.parametrize(
    "text",
    [
        f"ecdsa-sha2-nistp256 {ENCODED}",
        f"ecdsa-sha2-nistp256 {ENCODED} you@measuring",
        f"  ecdsa-sha2-nistp256   {ENCODED}  two words\n",
    ],
)
def test_a_host_key_as_pasted_from_a_file(text):
    assert login(text).host_key == f"ecdsa-sha2-nistp256 {ENCODED}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "unknown type of key ''; expected ssh-ed25519, "),
        ("ssh-ed25519 AAAA...", "not a whole key of type ssh-ed25519"),
        (f"ssh-ed448 {ENCODED}", "unknown type of key 'ssh-ed448'; expected ssh-ed25519, "),
        (f"ssh-ed25519 {ENCODED}", "not a whole key of type ssh-ed25519"),
        (f"ecdsa-sha2-nistp256 {ENCODED[:40]}", "not a whole key of type ecdsa-sha2-nistp256"),
    ],
)
def test_a_host_key_that_is_none(text, message):
    with pytest.raises(UserError, match=r"^mine.yaml: host_key: ") as error:
        login(text)
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("hosts", "message"),
    [
        ([host("left"), host("right", name="machine-left")], "more than one host has the name"),
        ([host("left"), host("left", name="b")], "more than one host has the role left"),
    ],
)
def test_an_inventory_that_cannot_be(hosts, message):
    with pytest.raises(UserError, match=message):
        inventory(*hosts)


@pytest.mark.parametrize(
    ("hosts", "message"),
    [
        ([host("left")], "testbed mine: no host has the role right; found left"),
        ([host("left"), host("rihgt")], "no host has the role right; found left, rihgt"),
        (
            [host("left"), host("right", interfaces={"wier": "eth1"})],
            "host machine-right: interfaces.wire: missing; role right of topology host-to-host",
        ),
        ([host("left", roles=["left", "right"])], "machine-left: has several roles of topology"),
    ],
)
def test_check_refuses_what_measure_refuses(monkeypatch, capsys, hosts, message):
    mine = inventory(*hosts)
    monkeypatch.setattr(ready, "load_testbed", lambda name: mine)
    with pytest.raises(UserError, match=message):
        ready.report("mine", "host-to-host")
    assert capsys.readouterr().out == "", "nobody was asked"


@pytest.mark.parametrize(
    "path", sorted((CONFIG / "topologies").glob("*.yaml")), ids=lambda path: path.stem
)
def test_the_example_plays_every_topology(path):
    Borrowed(load_testbed("example-linux"), load_topology(path.stem))
