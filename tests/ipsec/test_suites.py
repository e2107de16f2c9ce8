"""Proposals, in the words of the daemon."""

import pytest

from remeasure.bench.ipsec import algorithms
from remeasure.bench.ipsec.overhead import packet_on_wire
from remeasure.bench.ipsec.suites import in_kernel, negotiated
from remeasure.bench.ipsec.tunnel import Tunnel

ENDS = {"initiator": "gw1", "responder": "gw2", "link": "wan", "ike": "aes256-sha256-modp2048"}


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
    assert packet_on_wire(Tunnel(**ENDS, esp="aes192-sha256"), 512) == 588
