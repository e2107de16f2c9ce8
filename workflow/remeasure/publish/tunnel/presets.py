"""Paths that My tunnel offers by name: what we measured, as the notebooks handed it over."""

from typing import Any, NamedTuple

from remeasure.publish.tunnel.answer import Parts, number

_EVEN = {
    "skew": "Two paths, {delay} ms apart",
    "queue": "Queue with priority, {delay} ms",
}
"""path -> how the page names what was measured there"""


class Preset(NamedTuple):
    """Values that a button of the form sets."""

    label: str
    fields: dict[str, str]
    """field of the form -> its value"""


def presets(parts: Parts) -> list[Preset]:
    """A path that keeps the order, then the study's network and what was measured with packets that
    leave evenly, of what was measured at all."""
    found = [Preset("Packets stay in order", {"path": "none"})]
    behind_jitter = parts.windows["measured"]
    if behind_jitter:
        one = max(behind_jitter, key=lambda one: (one["jitter"], one["rate"]))
        label = f"Pratama 2025: jitter of {number(one['jitter'])} ms"
        size = parts.windows["length"]
        found.append(Preset(label, _fields("jitter", one["rate"], size, one["jitter"])))
    for path, label in _EVEN.items():
        here = _shown(parts, path)
        if here:
            one = max(here, key=lambda one: one["delay"])
            fields = _fields(path, one["rate"], one["size"], one["delay"])
            found.append(Preset(label.format(delay=number(one["delay"])), fields))
    return found


def _shown(parts: Parts, path: str) -> list[dict[str, Any]]:
    return [one for one in parts.even["measured"] if one["shown"] and one["path"] == path]


def _fields(path: str, rate: float, size: int, delay: float) -> dict[str, str]:
    values = {"rate": rate, "size": size, "delay": delay}
    return {"path": path} | {name: f"{value:.4g}" for name, value in values.items()}
