"""What chains of certificates, key exchanges and computing cost an authentication."""

from typing import Any

import pandas as pd

from notebooks.eap_methods.asks import DIRECT, ECHO, HOSTS, EapMethods
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.notebook.asked import each, joined

PAIRS = [
    ("psk-mlkem", "psk"),
    ("rsa-mlkem", "rsa-2-2"),
    ("ecdsa-mlkem", "ecdsa-2-2"),
    ("psk-mlkem-unfragmented", "psk-mlkem"),
    ("rsa-mlkem-unfragmented", "rsa-mlkem"),
    ("ecdsa-mlkem-unfragmented", "ecdsa-mlkem"),
    ("rsa-4-4-unfragmented", "rsa-4-4"),
]
"""a method with ML-KEM, or without IKE's fragmentation, over the same method otherwise"""


def chains_table(of: EapMethods) -> pd.DataFrame:
    """Chains of four certificates at both ends over chains of two, for each kind of method. Direct
    delays by the registered estimator, everything else by means."""
    methods = set(of.methods)
    ends = {kind: (f"{kind}-4-4", f"{kind}-2-2") for kind in ("eap-tls", "rsa", "ecdsa")}
    ends = {kind: pair for kind, pair in ends.items() if set(pair) <= methods}
    quantities: dict[str, dict[str, Any]] = {
        f"delay, echo, {rtt} ms": ECHO | {"where": {"rtt": rtt}} for rtt in of.rtts
    }
    for label, metric in (
        ("IKE exchanges", "ike_exchanges"),
        ("IKE bytes", "ike_bytes"),
        ("RADIUS bytes", "radius_bytes"),
    ):
        quantities[label] = {"metric": metric, "probe": "direct", "where": {"rtt": of.near}}
    for host, metric_of in HOSTS.items():
        quantities[f"processor time, {host}"] = metric_of | {"probe": "cost"}
    direct = pd.DataFrame(
        [
            {"quantity": f"delay, direct, {rtt} ms"}
            | {kind: text(of.registered_ratio(*pair, rtt)) for kind, pair in ends.items()}
            for rtt in of.rtts
        ],
        dtype=object,
    )
    kinds = {kind: of.ratio(*pair) for kind, pair in ends.items()}
    others = of.notebook.texts("quantity", quantities, kinds)
    chains = pd.concat([direct, others], ignore_index=True)
    # Without EAP there is no server of it, and the study's protocol was not run.
    without = chains["quantity"].str.contains("echo|RADIUS|aaa")
    chains.loc[without, [kind for kind in kinds if kind != "eap-tls"]] = ""
    return chains


def pairs_table(of: EapMethods) -> pd.DataFrame:
    """Ratios of direct delays and datagrams of PAIRS, by round trip."""
    pairs = [(one, to) for one, to in PAIRS if {one, to} <= set(of.methods)]
    rows = {f"{one} over {to}": of.ratio(one, to, **DIRECT) for one, to in pairs}
    table = of.notebook.texts("method over another", rows, each("rtt", of.rtts, "{} ms"))
    sent = of.counts["ike_datagrams"].map("{:.0f}".format)
    return table.assign(**{"IKE datagrams": [f"{sent[one]} over {sent[to]}" for one, to in pairs]})


def in_both(of: EapMethods, methods: list[str]) -> pd.DataFrame:
    """Delay in virtual time, and computing, by method and round trip: a column for each round trip
    of the scenario."""
    what = {"protocol": of.virtual.estimate, "computing": of.virtual.excess}
    rows = []
    for method in methods:
        row = {"method": method, "exchanges": f"{of.counts.loc[method, 'ike_exchanges']:.0f}"}
        for name, asked in what.items():
            for rtt in of.rtts:
                found = asked(**joined(DIRECT, {"where": {"method": method, "rtt": rtt}}))
                row[f"{name}, {rtt} ms"] = text(found) if found.n else "n/a"
        rows.append(row)
    rtts = list(of.notebook.scenario.design.factors["rtt"])
    columns = [f"{name}, {rtt} ms" for name in what for rtt in rtts]
    table = pd.DataFrame(rows, dtype=object)
    return table.reindex(columns=["method", "exchanges", *columns], fill_value="n/a")


def quote_virtual_beyond(of: EapMethods) -> None:
    """Hand over by how much a delay in virtual time exceeds the round trips of its exchanges at
    most [ms]."""
    found = [
        (estimate, of.counts.loc[method, "ike_exchanges"] * float(rtt))
        for method in of.methods
        for rtt in of.rtts
        if rtt != "0"
        for estimate in [
            of.virtual.estimate(**joined(DIRECT, {"where": {"method": method, "rtt": rtt}}))
        ]
        if estimate.n
    ]
    beyond = [estimate.value - trips for estimate, trips in found]
    says = (
        "virtual time: delay less round trips of the exchanges, most of any method and round trip"
    )
    of.notebook.results.number(
        "VirtualBeyond",
        max(beyond, default=float("nan")),
        2,
        r"\milli\second",
        says,
        made_from=[estimate for estimate, _ in found],
    )


def replaced_blocks(of: EapMethods) -> pd.DataFrame:
    """Hand over the ratio of chains by the first version of each block and by the last one, and
    return it by these blocks and by all."""
    archives = map(BlockArchive, of.notebook.blocks)
    again = {one.number: int(one.block["block"]) for one in archives}
    first = {number for number, planned in again.items() if number != planned}
    choices = {
        "first version of each block": ("ReplacedFirst", {*again} - {again[n] for n in first}),
        "last version of each block": ("ReplacedLast", {*again} - first),
        "all blocks": ("", {*again}),
    }
    rows = []
    for label, (name, blocks) in choices.items():
        ratio = text(
            of.registered_ratio("eap-tls-4-4", "eap-tls-2-2", of.near, blocks if name else ())
        )
        if name:
            of.notebook.results.words(name, ratio, f"ratio of delays, {label}")
        rows.append({"blocks": label, "number": len(blocks), "4-4 over 2-2": ratio})
    return pd.DataFrame(rows, dtype=object)
