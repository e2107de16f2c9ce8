"""Packets counted at both ends of a path, the fate of a datagram, and expected times of links."""

import pandas as pd
import pytest
from frames import frame

from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign.folder import read_frozen
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.testbed.treatments.shaping import Shaping
from remeasure.paper.analysis.models.datagram_fate import as_computed, fate, in_order, segment_size
from remeasure.paper.analysis.models.links import full_goodput, longer_by, settled_echoes, wire_ms
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


@pytest.fixture(scope="module")
def calibration():
    return load_scenario("calibration", "quick")


def test_wires_need_the_bits_over_the_rate_each():
    links = [Shaping(rate="100mbit"), Shaping(rate="10mbit"), Shaping(netem="delay 9ms")]
    assert wire_ms(1250, links) == pytest.approx(0.1 + 1)


def test_what_full_links_and_echoes_should_do(calibration):
    settings = calibration.settings_where(network="rate-100")
    assert longer_by(settings) == pytest.approx(0.10752)
    assert full_goodput("full_tcp", settings) == pytest.approx(100 * 1448 / 1514)
    assert full_goodput("full_udp", settings) == pytest.approx(100 * 1472 / 1514)


def test_links_of_released_campaigns_should_take_no_time():
    path = RAW / "lab-2026-11-22/campaign.yaml"
    old = read_frozen("lab-2026-11-22").scenario("calibration", path)
    assert longer_by(old.settings_where(network="rate-100")) == 0


def test_echoes_that_may_have_waited_for_arp_are_left_out():
    rtts = [200.0, 150, 120, 110, 105, 100, 102]
    observations = pd.DataFrame({"value": rtts, "index": range(1, 8)}).assign(
        block=1, trial=1, network="delay", probe="latency", metric="rtt", unit="ms"
    )
    found = settled_echoes(observations, ["network"]).set_index("metric")["value"]
    assert found["settled_mean"] == 101 and found["settled_sd"] == pytest.approx(2**0.5)


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
