"""Proposals and configuration, in the words of the daemon."""

import re

import pytest

from remeasure.bench.ipsec import algorithms
from remeasure.bench.ipsec.algorithms import MODULES, negotiated


def test_proposals():
    assert negotiated("aes256-sha256-modp2048") == {
        "encr-alg": "AES_CBC",
        "encr-keysize": "256",
        "integ-alg": "HMAC_SHA2_256_128",
        "dh-group": "MODP_2048",
    }
    with pytest.raises(ValueError, match="unknown algorithm 'aes257'.*known: des"):
        negotiated("aes257-sha1")


def test_check_asks_for_the_module_of_each_mode():
    modes = set(re.findall(r"(\w+)\(\w+\)", str(algorithms.CIPHERS)))
    assert modes - {"ecb"} <= MODULES.keys(), "name the module in MODULES of ipsec/algorithms.py"
