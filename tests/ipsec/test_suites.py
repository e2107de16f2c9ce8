"""Proposals and configuration, in the words of the daemon."""

import re

import pytest
from tunnels import site_tunnel

from remeasure.bench.base.topology import load_topology
from remeasure.bench.ipsec import algorithms
from remeasure.bench.ipsec.algorithms import MODULES, in_kernel, negotiated
from remeasure.bench.ipsec.overhead import packet_on_wire
from remeasure.bench.ipsec.swanctl import swanctl_conf


def test_proposals():
    assert negotiated("aes256-sha256-modp2048") == {
        "encr-alg": "AES_CBC",
        "encr-keysize": "256",
        "integ-alg": "HMAC_SHA2_256_128",
        "dh-group": "MODP_2048",
    }
    with pytest.raises(ValueError, match="unknown algorithm 'aes257'.*known: des"):
        negotiated("aes257-sha1")


def test_a_new_algorithm_is_one_row(monkeypatch):
    row = algorithms.Cipher("AES_CBC", "cbc(aes)", block=16, iv=16, bits=192)
    monkeypatch.setitem(algorithms.CIPHERS, "aes192", row)
    assert negotiated("aes192-sha256")["encr-keysize"] == "192"
    assert in_kernel("aes192-sha256") == ["cbc(aes)", "hmac(sha256)"]
    # 20 + 8 + IV 16 + (512 + 2, padded to 528) + ICV 16
    assert packet_on_wire(site_tunnel(esp="aes192-sha256"), 512) == 588


def test_check_asks_for_the_module_of_each_mode():
    modes = set(re.findall(r"(\w+)\(\w+\)", str(algorithms.CIPHERS)))
    assert modes - {"ecb"} <= MODULES.keys(), "name the module in MODULES of ipsec/algorithms.py"


def test_configuration_names_each_end():
    tunnel = site_tunnel(auth="psk")
    text = swanctl_conf(tunnel, load_topology("site-to-site"), "gw2", "secret")
    lines = ["local_addrs = 198.51.100.2", "remote_addrs = 198.51.100.1", "id = gw1"]
    lines += ["local_ts = 192.168.20.0/24", "replay_window = 32", 'secret = "secret"']
    assert [line for line in lines if line not in text] == []
    assert text.count("{") == text.count("}")
