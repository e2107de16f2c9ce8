"""Shares of packets that an anti-replay window drops or lets pass."""

import pandas as pd

from remeasure.paper.analysis.models.packet_balance import COUNTED, passed_share, replay_drops


def test_drops_are_a_share_of_what_was_sent():
    keys = {"block": 1, "trial": 2, "auth": "psk", "probe": "udp_up"}
    counters = pd.DataFrame(
        [
            keys | {"host": host, "counter": "XfrmInStateSeqError", "change": change}
            for host, change in (("gw2", 30), ("gw1", 999))
        ]
    )
    sent = [
        keys | {"probe": probe, "tool": "iperf3", "metric": "sent", "value": 120.0}
        for probe in ("udp_up", "udp_down")
    ]
    found = replay_drops(counters, pd.DataFrame(sent), ["auth"], "gw2")
    assert found.set_index("probe")["value"].to_dict() == {"udp_up": 25.0, "udp_down": 0.0}


def test_what_passed_is_a_share_of_what_reached_the_window():
    packets = pd.DataFrame([{"block": 1, "trial": 2, "repeat": 1, "auth": "psk", "probe": "udp"}])
    packets = packets.assign(**dict.fromkeys(COUNTED, 0.0)).assign(delivered=30.0, replay=10.0)
    (found,) = passed_share(packets).to_dict("records")
    expected = {"block": 1, "trial": 2, "auth": "psk", "probe": "udp"}
    assert found == expected | {"metric": "passed", "unit": "", "value": 0.75}
