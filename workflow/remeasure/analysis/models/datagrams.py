"""UDP flows of fixed payloads: how much of the link they fill, and in how many packets they
travel."""

import pandas as pd

from remeasure.ipsec.overhead import ETHERNET, IPV4, UDP


def link_use(flows: pd.DataFrame) -> pd.Series:
    """Rate at which frames arrived [Mbit/s], with Ethernet headers and one frame for each datagram.
    `flows` are observations of metric packet_rate, with a column `payload` [bytes]."""
    frame = flows["payload"].astype(int) + UDP + IPV4 + ETHERNET
    return flows["value"] * 8 * frame / 1e6


def packets_per_datagram(
    counters: pd.DataFrame, observations: pd.DataFrame, gateway: str
) -> pd.Series:
    """Packets of the outgoing SA of `gateway` per datagram sent, mean over blocks, by suite and
    payload. Without IPsec (suite none), packets that left by interface wan are counted. Both tables
    must have only rows of UDP flows."""
    keys = ["block", "suite", "payload"]
    counter = counters["counter"].where(counters["suite"] != "none", "")
    wan = counters["counter"].where(counters["suite"] == "none", "")
    carried = counters[
        (counters["host"] == gateway) & ((counter == "sa_out_packets") | (wan == "wan_tx_packets"))
    ]
    packets = carried.groupby(keys, observed=True)["change"].sum()
    sent = observations[observations["metric"].isin(["received", "lost"])]
    sent = sent.groupby(keys, observed=True)["value"].sum()
    return (packets / sent).groupby(keys[1:], observed=True).mean().rename("packets")
