"""Packets counted at both ends of a path: they balance, and replays are a share of them."""

import pandas as pd
import pytest
from frames import frame

from remeasure.paper.analysis.models.packet_balance import (
    COUNTED,
    packet_balance,
    passed_share,
    replay_drops,
)

OF_RUN = [  # host, counter, change
    *(("client1", "UdpOutDatagrams", 1000), ("client1", "control_rx_dropped", 7)),
    *(("client2", "IpInDelivers", 812), ("client2", "TcpInSegs", 10)),
    *(("client2", "IcmpInMsgs", 2), ("client2", "UdpInDatagrams", 700)),
    *(("gw1", "wan_netem_dropped", 30), ("gw1", "wan_tbf_dropped", 20)),
    *(("gw2", "XfrmInStateSeqError", 150), ("gw2", "XfrmInNoStates", 10)),
    *(("gw2", "wan_rx_packets", 9), ("gw2", "site2_tx_dropped", 5)),
]


@pytest.mark.parametrize(("lost_unseen", "share"), [(0, 0.005), (5, 0.0)])
def test_packets_balance(lost_unseen, share):
    """800 delivered, 30 dropped by netem and disciplines below it, 150 as replays, 15 otherwise."""
    keys = {"block": 1, "trial": 2, "window": "32", "probe": "udp", "repeat": 1}
    counters = frame("host counter change", *OF_RUN, **keys, file="f")
    counters.loc[counters["counter"] == "UdpOutDatagrams", "change"] -= lost_unseen
    observations = pd.DataFrame([{**keys, "metric": "offered", "value": 1000.0, "unit": ""}])
    path = {"sender": "client1", "receiver": "client2", "entry": ("gw1", "wan")}
    balance = packet_balance(counters, observations, ["window"], **path, exit_gateway="gw2")
    (row,) = balance.to_dict("records")
    assert (row["delivered"], row["read"]) == (800, 700)
    assert (row["dropped"], row["replay"], row["other_ipsec"]) == (30, 150, 10)
    assert (row["interfaces"], row["missing"]) == (5, 5 - lost_unseen)
    assert row["missing_share"] == pytest.approx(share)


def test_drops_are_a_share_of_what_was_sent():
    keys = {"block": 1, "trial": 2, "auth": "psk"}
    drops = [("gw2", 30), ("gw1", 999)]
    counters = frame("host change", *drops, **keys, counter="XfrmInStateSeqError", probe="udp_up")
    sent = frame(
        "probe", ("udp_up",), ("udp_down",), **keys, tool="iperf3", metric="sent", value=120.0
    )
    found = replay_drops(counters, sent, ["auth"], "gw2")
    assert found.set_index("probe")["value"].to_dict() == {"udp_up": 25.0, "udp_down": 0.0}


def test_what_passed_is_a_share_of_what_reached_the_window():
    packets = pd.DataFrame([{"block": 1, "trial": 2, "repeat": 1, "auth": "psk", "probe": "udp"}])
    packets = packets.assign(**dict.fromkeys(COUNTED, 0.0)).assign(delivered=30.0, replay=10.0)
    (found,) = passed_share(packets).to_dict("records")
    expected = {"block": 1, "trial": 2, "auth": "psk", "probe": "udp"}
    assert found == expected | {"metric": "passed", "unit": "", "value": 0.75}
