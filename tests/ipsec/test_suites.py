"""Proposals, in the words of the daemon."""

import pytest

from remeasure.ipsec.suites import negotiated


def test_proposals():
    assert negotiated("aes256-sha256-modp2048") == {
        "encr-alg": "AES_CBC",
        "encr-keysize": "256",
        "integ-alg": "HMAC_SHA2_256_128",
        "dh-group": "MODP_2048",
    }
    with pytest.raises(ValueError, match="unknown algorithm 'aes257'.*known: des"):
        negotiated("aes257-sha1")
