"""The packets of a transfer through a tunnel by their end, by counters that must account for
each."""

import pandas as pd

KEYS = ["block", "trial", "repeat"]
GONE = ["delivered", "dropped", "interfaces", "replay", "other_ipsec"]
REPLAY = "XfrmInStateSeqError"
"""counter of the packets that the anti-replay service dropped"""
COUNTED = ["offered", "read", *GONE, "missing", "missing_share"]


def packet_balance(
    counters: pd.DataFrame,
    observations: pd.DataFrame,
    factors: list[str],
    *,
    sender: str,
    receiver: str,
    entry: tuple[str, str],
    exit_gateway: str,
) -> pd.DataFrame:
    """One row per run of a UDP probe, in datagrams of one packet each.

    `entry` is the gateway that encrypts and its shaped interface; `exit_gateway` decrypts. Columns:
    the factors; offered (sent by `sender`, by its own UDP counter); delivered (by the IP layer of
    `receiver` to UDP: read, dropped because a buffer was full, too late for a closed socket, or
    left unread, which no UDP counter shows); read (the part of `delivered` that the probe read);
    dropped (by queueing disciplines at `entry`); interfaces (dropped by any interface except the
    control network's, because no buffer was free); replay (dropped by the anti-replay service);
    other_ipsec (any other counter of xfrm_stat); missing (offered less all parts); missing_share
    (absolute share of offered, 0 to 1).

    The probe's control connection passes the same tunnel: a dropped segment of it makes `missing`
    negative.
    """
    keys = [*KEYS, *factors, "probe"]
    udp = observations.loc[observations["metric"] == "offered", keys].drop_duplicates()
    table = udp.set_index(keys)
    for name, (host, pattern) in _places(sender, receiver, entry, exit_gateway).items():
        chosen = counters[
            counters["counter"].str.fullmatch(pattern)
            & ((counters["host"] == host) | (host is None))
        ]
        # The drops of a root include its child's.
        summed = chosen.groupby(keys, observed=True)["change"]
        found = summed.max() if name == "dropped" else summed.sum()
        table[name] = found.reindex(table.index).fillna(0)
    table["delivered"] = table.pop("to_transport") - table.pop("not_udp")
    table["missing"] = table["offered"] - table[GONE].sum(axis=1)
    table["missing_share"] = table["missing"].abs() / table["offered"]
    return table.reset_index()


def _places(
    sender: str, receiver: str, entry: tuple[str, str], exit_gateway: str
) -> dict[str, tuple[str | None, str]]:
    """Part of the balance -> its host (None: any), and a pattern of its counters."""
    gateway, interface = entry
    return {
        "offered": (sender, r"UdpOutDatagrams"),
        "to_transport": (receiver, r"IpInDelivers"),
        "not_udp": (receiver, r"TcpInSegs|IcmpInMsgs"),
        "read": (receiver, r"UdpInDatagrams"),
        "dropped": (gateway, rf"{interface}_(netem|tbf)_dropped"),
        "interfaces": (None, r"(?!control_).*_(rx|tx)_dropped"),
        "replay": (exit_gateway, REPLAY),
        "other_ipsec": (exit_gateway, r"XfrmIn(?!StateSeqError).*"),
    }


def passed_share(packets: pd.DataFrame) -> pd.DataFrame:
    """Summaries of metric `passed`: of the packets of `packet_balance` that reached the anti-replay
    window, the share that it let pass, 0 to 1."""
    keys = [column for column in packets if column not in (*COUNTED, "repeat")]
    share = packets["delivered"] / (packets["delivered"] + packets["replay"])
    return packets[keys].assign(metric="passed", unit="", value=share)


def refused_packets(counters: pd.DataFrame, gateway: str, keys: list[str]) -> pd.Series:
    """Number of packets that the anti-replay service of `gateway` dropped, by these columns."""
    drops = counters[(counters["counter"] == REPLAY) & (counters["host"] == gateway)]
    return drops.groupby(keys, observed=True)["change"].sum()


def replay_drops(
    counters: pd.DataFrame, observations: pd.DataFrame, factors: list[str], gateway: str
) -> pd.DataFrame:
    """One row per trial and probe of iperf3: `value` is the share of the datagrams sent that the
    anti-replay service of `gateway` dropped [%]."""
    keys = ["block", "trial", *factors, "probe"]
    sent = observations[(observations["metric"] == "sent") & (observations["tool"] == "iperf3")]
    sent = sent.groupby(keys, observed=True)["value"].sum()
    dropped = refused_packets(counters, gateway, keys).reindex(sent.index, fill_value=0)
    return (100 * dropped / sent).rename("value").reset_index()
