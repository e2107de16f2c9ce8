"""The fate of a datagram, in words, and whether sizes are as computed."""

import pandas as pd
import pytest

from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.paper.analysis.models.datagram_fate import as_computed, fate, in_order, segment_size

ENDS = {"initiator": "a", "responder": "b", "link": "l", "ike": "aes256-sha256-x25519"}


@pytest.mark.parametrize(
    ("arrived", "refused", "packets", "fragments", "protected", "expected"),
    [
        (0, 1, 0, 0, True, "refused"),
        (0, 0, 0, 0, True, "lost"),
        (1, 0, 1, 0, True, "passed whole"),
        (1, 0, 2, 2, True, "cut after IPsec"),
        (1, 0, 2, 0, True, "cut before IPsec"),
        (1, 0, 3, 2, True, "cut in both places"),
        (0, 0, 2, 2, True, "cut after IPsec, then lost"),
        (1, 0, 2, 2, False, "cut"),
    ],
)
def test_fate(arrived, refused, packets, fragments, protected, expected):
    datagram = {"arrived": arrived, "refused": refused, "packets": packets, "fragments": fragments}
    assert fate(datagram, protected) == expected


def test_fates_in_order():
    assert in_order(["lost", "refused", "refused", "refused"]) == "1 lost, then 3 refused"
    assert in_order(["cut"] * 4) == "all cut"


def test_one_packet_of_another_length_is_found():
    tunnel = IpsecTunnel(**ENDS, esp="aes128gcm16")
    # 20 + 8 + 8 + (1440 + 2 padded to 1444) + 16; one byte more of payload still fits the padding.
    lengths = pd.Series({1412: 1496, 1413: 1496})
    assert as_computed(tunnel, [1418], lengths) == (True, [])
    assert as_computed(tunnel, [1418, 1417], lengths) == (False, [])
    assert as_computed(tunnel, [1418], lengths.replace(1496, 1500)) == (True, [1412, 1413])


def test_segment_without_ipsec_is_what_ethernet_has():
    assert segment_size(1472) == 1460
