"""The part of My tunnel that says how long a tunnel takes to set up, from notebook eap_methods."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.models.authentication_delay import DelayModel
from remeasure.paper.analysis.texts import estimate_text

METHODS = {
    "psk": "pre-shared key",
    "psk-mlkem": "pre-shared key, ML-KEM hybrid",
    "ecdsa-2-2": "ECDSA certificates, chains of 2",
    "ecdsa-4-4": "ECDSA certificates, chains of 4",
    "ecdsa-mlkem": "ECDSA certificates, ML-KEM hybrid",
    "rsa-2-2": "RSA certificates, chains of 2",
    "rsa-4-4": "RSA certificates, chains of 4",
    "rsa-mlkem": "RSA certificates, ML-KEM hybrid",
    "eap-ttls": "EAP-TTLS",
    "eap-tls-2-2": "EAP-TLS, chains of 2",
    "eap-tls-4-4": "EAP-TLS, chains of 4",
}
"""methods that the page shows -> their names there. EAP-MD5 must not be deployed"""

MEASURED_AS = {
    "psk": {"x25519": "psk", "x25519-ke1_mlkem768": "psk-mlkem"},
    "ecdsa": {"x25519": "ecdsa-2-2", "x25519-ke1_mlkem768": "ecdsa-mlkem"},
    "ecdsa-4": {"x25519": "ecdsa-4-4"},
    "rsa": {"x25519": "rsa-2-2", "x25519-ke1_mlkem768": "rsa-mlkem"},
    "rsa-4": {"x25519": "rsa-4-4"},
    "eap-ttls": {"x25519": "eap-ttls"},
    "eap-tls": {"x25519": "eap-tls-2-2"},
    "eap-tls-4": {"x25519": "eap-tls-4-4"},
}
"""way to authenticate -> key exchange -> the method that was measured so. Each way has X25519: what
other key exchanges change is the same for all ways"""


def set_up_part(
    model: DelayModel,
    exchanges: Mapping[str, float],
    sent: Mapping[str, float],
    delays: pd.DataFrame,
) -> dict[str, Any]:
    """What the page needs to say how long a set-up takes: the model's parameters, and what was
    measured. Counted of each method: `exchanges` of IKE, and bytes of IKE `sent` both ways, without
    headers of UDP and IP. `delays`: columns row (method), level (round trip, such as '50 ms'),
    value, low, high [ms], n, origin."""
    computing = model.computation.set_index("method")["value"]
    found: dict[str, dict[str, list[Any]]] = {}
    for row in delays.itertuples():
        estimate = Estimate.of_row(row)
        text = str(estimate_text(estimate))
        found.setdefault(row.row, {})[row.level.removesuffix(" ms")] = [estimate.value, text]
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
