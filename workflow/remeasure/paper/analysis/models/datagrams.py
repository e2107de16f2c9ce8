"""UDP flows of fixed payloads: in how many packets their datagrams travel."""

import pandas as pd


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
