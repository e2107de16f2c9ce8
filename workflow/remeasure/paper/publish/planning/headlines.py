"""The headline numbers of a campaign, and how wide their intervals will be: Student's interval of
the measured blocks, with the planned number of blocks and the same noise. Trials that take more
readings than the measured ones make intervals narrower still."""

from typing import Any

import numpy as np
from scipy.special import stdtrit as student_quantile

from remeasure.bench.campaign.build import read_build
from remeasure.bench.campaign.rounds import Rounds
from remeasure.paper.notebook.asked import Asked
from remeasure.paper.publish.planning.opened import opened

_SET_UP: Asked = {
    "quantity": "difference", "metric": "ike_sa", "probe": "ike_restarted",
    "of": {"auth": "rsa"}, "to": {"auth": "psk"},
}  # fmt: skip
_COST: Asked = {"quantity": "ratio", "metric": "cpu_per_megabyte", "probe": "tcp",
                "to": {"suite": "aes128gcm16"}}  # fmt: skip
_DIRECT: Asked = {"metric": "delay", "probe": "direct", "where": {"rtt": "50"}}
_AT_SIZES: Asked = {
    "quantity": "ratio", "metric": "cpu_per_packet", "to": {"suite": "none"},
    "where": {"transport": "udp", "payload": "1344"},
}  # fmt: skip
HEADLINES: dict[str, dict[str, Asked]] = {
    "psk-rsa": {
        "set-up, RSA less PSK, normal": {**_SET_UP, "where": {"network": "normal"}},
        "set-up, RSA less PSK, impaired": {**_SET_UP, "where": {"network": "impaired"}},
        "UDP upload, RSA over PSK, normal": {
            "quantity": "ratio", "metric": "goodput", "probe": "udp_up",
            "of": {"auth": "rsa"}, "to": {"auth": "psk"}, "where": {"network": "normal"},
        },
    },
    "replay-window": {
        "share passed, window 32, study's network, 100 Mbit/s": {
            "metric": "passed", "where": {"window": "32", "network": "study", "rate": "100M"},
        },
    },
    "esp-instructions": {
        "cost, ChaCha20 over AES-128-GCM, all": {
            **_COST, "of": {"suite": "chacha20poly1305"}, "where": {"instructions": "all"}},
        "cost, ChaCha20 over AES-128-GCM, none": {
            **_COST, "of": {"suite": "chacha20poly1305"}, "where": {"instructions": "none"}},
        "cost, 3DES over AES-128-GCM, all": {
            **_COST, "of": {"suite": "3des-sha1"}, "where": {"instructions": "all"}},
    },
    "eap-methods": {
        "set-up with EAP-TLS at 50 ms": {**_DIRECT, "of": {"method": "eap-tls-2-2"}},
        "set-up with a PSK at 50 ms": {**_DIRECT, "of": {"method": "psk"}},
    },
    "ah-esp-ciphers": {
        "cost, AES-128-GCM over none, host to host": {
            "quantity": "ratio", "metric": "cpu_per_megabyte",
            "of": {"suite": "aes128gcm16"}, "to": {"suite": "none"}},
    },
    "algorithm-sweep": {"cost, AES-128-GCM over none, 1344 B UDP": {
        **_AT_SIZES, "of": {"suite": "aes128gcm16"}}},
    "suite-cost": {"cost, 3DES over none, 1344 B UDP": {
        **_AT_SIZES, "of": {"suite": "3des-sha1"}}},
}  # fmt: skip
"""scenario -> a headline number -> its question"""


Width = tuple[str, str, str]
"""a headline number, and half of the width of its interval by the measured and by the planned
blocks, whose number is in brackets"""


def widths(plan: Rounds) -> list[Width]:
    """The headline numbers of planned scenarios with released trials. Raises UserError."""
    released = read_build().campaigns
    return [
        width
        for name, scenario in plan.scenarios.items()
        if name in HEADLINES and name in released
        for notebook in [opened(name)]
        for says, question in HEADLINES[name].items()
        if (width := _width(notebook, says, question, scenario.design.blocks))
    ]


def _width(notebook: Any, says: str, question: Asked, planned: int) -> Width | None:
    found = notebook.estimate(question)
    if not (found.n > 1 and planned > 1 and np.isfinite([found.low, found.high]).all()):
        return None
    change = narrowing(found.n, planned)
    if question.get("quantity") == "difference":
        half, unit = (found.high - found.low) / 2, notebook.unit(question["metric"])
        now, then = (f"{h:.2g} {unit}" for h in (half, half * change))
    else:
        half = np.log(found.high / found.low) / 2
        now, then = (f"{100 * np.expm1(h):.2g} %" for h in (half, half * change))
    return says, f"{now} ({found.n})", f"{then} ({planned})"


def narrowing(measured: int, planned: int) -> float:
    """Width of an interval over `planned` blocks, relative to one over `measured` blocks."""
    quantiles = student_quantile(np.array([measured - 1, planned - 1]), 0.975)
    return float(quantiles[1] / quantiles[0] * np.sqrt(measured / planned))
