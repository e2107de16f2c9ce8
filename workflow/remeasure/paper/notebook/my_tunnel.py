"""The parts of the site's page My tunnel that notebooks hand over (publish.advisor reads them)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any, Literal

import pandas as pd

from remeasure.bench.base.family import IPV4, IPV6, Families, Family
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.kinds.interface import InterfaceTunnel
from remeasure.bench.ipsec.kinds.openvpn import OpenvpnTunnel
from remeasure.bench.ipsec.kinds.wireguard import WireguardTunnel
from remeasure.bench.ipsec.overhead import MTU, UDP
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.models import window_advice
from remeasure.paper.analysis.models.authentication_delay import DelayModel
from remeasure.paper.analysis.models.datagram_fate import TCP
from remeasure.paper.analysis.models.lossy_set_up import EXCHANGES
from remeasure.paper.analysis.texts import estimate_text
from remeasure.paper.words import words_of

WORDS = words_of(__file__, "my-tunnel")
NAMES: dict[str, str] = WORDS["suites"]
IN_PROPOSALS: dict[str, str] = WORDS["in_proposals"]
METHODS: dict[str, str] = WORDS["methods"]
MEASURED_AS: dict[str, dict[str, str]] = WORDS["measured_as"]
# Bytes and computing of a key exchange: notebooks key_exchange and key_exchange_cost


def groups_part(sent: Mapping[str, float]) -> dict[str, Any]:
    """Key exchange -> its number of IKE exchanges in a set-up (RFC 9370, RFC 9242), and the counted
    bytes of IKE with a pre-shared key, None if not measured. `sent`: level -> bytes."""
    return {
        name: {
            "exchanges": len(EXCHANGES[level]),
            "bytes": round(sent[level]) if level in sent else None,
        }
        for level, name in IN_PROPOSALS.items()
    }


def computing_part(longer: Mapping[str, Estimate]) -> dict[str, float]:
    """Key exchange -> additional set-up time over X25519 without path delay [ms], if measured."""
    return {
        name: longer[level].value
        for level, name in IN_PROPOSALS.items()
        if level in longer and longer[level].n
    }


# Time to set up a tunnel: notebook eap_methods


def set_up_part(
    model: DelayModel,
    exchanges: Mapping[str, float],
    sent: Mapping[str, float],
    delays: pd.DataFrame,
) -> dict[str, Any]:
    """Set-up times for the page: the model's parameters, and measurements. `exchanges` of IKE, and
    bytes of IKE `sent` both ways without UDP and IP headers, are counts per method. `delays`:
    columns row (method), rtt (round trip [ms]), value, low, high [ms], n, origin."""
    computing = model.computation.set_index("method")["value"]
    found: dict[str, dict[str, list[Any]]] = {}
    for row in delays.itertuples():
        estimate = Estimate.of_row(row)
        text = str(estimate_text(estimate))
        found.setdefault(row.row, {})[f"{row.rtt:g}"] = [estimate.value, text]
    return {
        "trips": model.round_trips.value,
        "worst": model.worst,
        "methods": [
            {
                "method": method,
                "name": name,
                "exchanges": round(float(exchanges[method]), 2),
                "bytes": round(float(sent[method])),
                "computing": float(computing[method]),
                "measured": found.get(method, {}),
            }
            for method, name in METHODS.items()
            if method in computing.index
        ],
    }


# Packet sizes: notebook packet_sizes

Mode = Literal["tunnel", "transport"]
MODES: tuple[Mode, ...] = ("tunnel", "transport")
NAT_T = {"no": False, "yes": True}
"""a reader's choice of NAT traversal -> whether ESP goes in UDP"""


_ENDS: dict[str, Any] = {"initiator": "gw1", "responder": "gw2", "link": "wan"}
OTHERS: dict[str, InterfaceTunnel] = {
    "wireguard": WireguardTunnel(**_ENDS),
    "openvpn": OpenvpnTunnel(**_ENDS, cipher="aes128gcm16"),
}
"""tunnels next to ESP"""
FAMILIES = {str(family): family for family in (IPV4, IPV6)}
"""a reader's choice of a version of IP -> the version"""


def esp_tunnel(suite: str, mode: Mode = "tunnel", udp: bool = False) -> IpsecTunnel:
    """A tunnel with a suite, in UDP or not."""
    return IpsecTunnel(**_ENDS, ike="aes256-sha256-x25519", esp=suite, mode=mode, encap=udp)


def sizes_part(
    measured: Callable[[str, str, bool, Families], dict[str, Any] | None],
) -> dict[str, Any]:
    """Packet lengths for the page, in the terms of `overhead`: headers, and for each version of IP
    outside, mode, choice of NAT_T and suite the growth of packets, and by version of IP inside the
    measurement. `measured`: for a suite, in a mode, in UDP or not, over links with an MTU of
    `overhead.MTU`: `largest`, the largest UDP payload in one packet [bytes], and `least`, the
    smallest one from which on all packets up to the largest had the computed length [bytes; None if
    one had another]; None if it was not measured."""

    def cell(suite: str, mode: Mode, udp: bool, outer: Family) -> dict[str, Any]:
        found = {n: measured(suite, mode, udp, Families(f, outer)) for n, f in FAMILIES.items()}
        return asdict(esp_tunnel(suite, mode, udp).growth(outer)) | {"measured": found}

    others = {
        kind: {name: asdict(tunnel.growth(family)) for name, family in FAMILIES.items()}
        for kind, tunnel in OTHERS.items()
    }
    return others | {
        "mtu": MTU,
        "headers": {name: family.header for name, family in FAMILIES.items()},
        "udp": UDP,
        "tcp": TCP,
        "modes": {
            name: {
                mode: {
                    choice: {suite: cell(suite, mode, udp, outer) for suite in NAMES}
                    for choice, udp in NAT_T.items()
                }
                for mode in MODES
            }
            for name, outer in FAMILIES.items()
        },
    }


# The replay window to set: notebooks replay_window and reordering_causes


def window_part(passed: Iterable[window_advice.Passed]) -> dict[str, Any]:
    """Numbers for the page to advise a window as `window_advice.advise` does."""
    return {
        "windows": list(window_advice.WINDOWS),
        "allowed": window_advice.ALLOWED,
        "near": window_advice.NEAR,
        "line_rates": list(window_advice.LINE_RATES),
        "delays": list(window_advice.DELAYS),
        "curves": {
            name: window_advice.curve(name)
            for name in ("jitter", "skew", "queue", "packets", "even", "overtaking")
        }
        | {"faster": [round(one, 1) for one in window_advice.FASTER.tolist()]},
        **passed_part(passed),
    }


def passed_part(passed: Iterable[window_advice.Passed]) -> dict[str, Any]:
    """The windows that were enough, as the page reads them."""
    found = [
        {name: getattr(one.traffic, name) for name in ("path", "rate", "size", "delay")}
        | {"window": one.window, "shown": one.shown}
        for one in passed
    ]
    return {"passed": found}


def passed_of(*parts: dict[str, Any]) -> list[window_advice.Passed]:
    """The windows that were enough, of those parts of the page that have some."""
    found = []
    for one in (one for part in parts for one in part.get("passed", ())):
        traffic = window_advice.Traffic(one["path"], one["rate"], one["size"], one["delay"])
        found.append(window_advice.Passed(traffic, one["window"], one["shown"]))
    return found
