"""Hosts that do not answer, before any lab is needed."""

import socket

import paramiko
import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.testbeds import load_testbed
from remeasure.bench.testbed.inventory import Host, Inventory
from remeasure.bench.testbed.remote import HostUnreachable, Remote


def host(**changes) -> Host:
    return Host(
        **{"name": "gw1", "roles": ["gw1"], "address": "127.0.0.1", "key": "none", "interfaces": {}}
        | changes
    )


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key"
    paramiko.ECDSAKey.generate().write_private_key_file(str(path))
    return path


def test_no_key_is_one_clear_line(tmp_path):
    with pytest.raises(HostUnreachable, match=f"host gw1 .*: no key {tmp_path}/none$"):
        Remote(host(key=tmp_path / "none")).connect()


def test_a_closed_port_is_one_clear_line(key):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        with pytest.raises(
            HostUnreachable,
            match=rf"host gw1 \(root@127.0.0.1:{port}\): "
            ".*[Cc]onnect",
        ):
            Remote(host(port=port, key=key)).connect()


def test_a_port_that_does_not_speak_ssh_is_one_clear_line(key):
    with socket.create_server(("127.0.0.1", 0)) as server:
        import threading

        threading.Thread(target=lambda: server.accept()[0].close(), daemon=True).start()
        with pytest.raises(HostUnreachable, match="host gw1 .*: .*SSH") as error:
            Remote(host(port=server.getsockname()[1], key=key)).connect()
        assert "\n" not in str(error.value)


def test_roles_are_unique_and_known():
    with pytest.raises(ValueError, match="more than one host has the role gw1"):
        Inventory(name="t", hosts=[host(), host(name="other")])
    with pytest.raises(UserError, match="no host has the role client1"):
        Inventory(name="t", hosts=[host()]).host("client1")


def test_unknown_testbed_names_the_known_ones():
    with pytest.raises(UserError, match="nowhere.yaml: no such file; testbeds known: .*lab"):
        load_testbed("nowhere")
