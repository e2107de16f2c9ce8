"""What My tunnel says of set-up time: for each method, and for each key exchange."""

from typing import Any, NamedTuple

from remeasure.notebook.tunnel.set_up import MEASURED_AS
from remeasure.publish.tunnel.answer import Parts, Values, milliseconds

REFERENCE = "x25519"
"""key exchange that was measured with each way to authenticate"""


class SetUp(NamedTuple):
    """A set-up with the chosen way to authenticate and a key exchange."""

    method: str
    """name of the method that it rests on"""
    exchanges: float
    """exchanges of IKE"""
    ms: float
    text: str
    """`ms`, with its interval if it was measured"""
    source: str
    """'measured'; 'model' if this round trip was not; 'added' if the key exchange was not measured
    with this way, but with a pre-shared key"""
    sent: int
    """bytes of IKE, both ways, headers of UDP and IP left out"""

    @property
    def counted(self) -> bool:
        """Whether `sent` was counted with this way and key exchange, and not added up."""
        return self.source != "added"


def set_ups(parts: Parts, values: Values) -> list[dict[str, Any]]:
    """For each method its time until the tunnel is up [ms], measured where the round trip was, else
    by the model: keys method, name, exchanges, ms, text, measured."""
    rows = []
    for method in parts.set_up["methods"]:
        found = method["measured"].get(f"{values.rtt:g}")
        by_model = _by_model(parts, values, method, method["exchanges"])
        ms, text = found or (by_model, milliseconds(by_model))
        own = {name: method[name] for name in ("method", "name", "exchanges")}
        rows.append(own | {"ms": ms, "text": text, "measured": bool(found)})
    return rows


def set_up_with(parts: Parts, values: Values, exchange: str) -> SetUp | None:
    """The set-up with a key exchange and the chosen way, None if one of both was not measured. A
    key exchange that was not measured with the way adds exchanges, bytes and computing to
    REFERENCE."""
    ways = MEASURED_AS[values.way]
    methods = {method["method"]: method for method in parts.set_up["methods"]}
    own = ways.get(exchange)
    if own in methods:
        (row,) = (row for row in set_ups(parts, values) if row["method"] == own)
        source = "measured" if row["measured"] else "model"
        sent = methods[own]["bytes"]
        return SetUp(row["name"], row["exchanges"], row["ms"], row["text"], source, sent)
    method = methods.get(ways[REFERENCE])
    group, least = (parts.groups[name] for name in (exchange, REFERENCE))
    unknown = None in (group["bytes"], least["bytes"]) or exchange not in parts.computing
    if method is None or unknown:
        return None
    exchanges = method["exchanges"] + group["exchanges"] - least["exchanges"]
    ms = _by_model(parts, values, method, exchanges) + parts.computing[exchange]
    sent = method["bytes"] + group["bytes"] - least["bytes"]
    return SetUp(method["name"], exchanges, ms, milliseconds(ms), "added", sent)


def _by_model(parts: Parts, values: Values, method: dict[str, Any], exchanges: float) -> float:
    """Time of a method until the tunnel is up [ms]."""
    trips: float = parts.set_up["trips"]
    return float(method["computing"]) + trips * exchanges * values.rtt
