"""Paths that My tunnel offers by name: what we measured, as the notebooks handed it over."""

from collections.abc import Iterable
from typing import NamedTuple

from remeasure.paper.analysis.models.window_advice import Passed

_LABELS = {
    "jitter": "Pratama 2025: jitter of {delay} ms",
    "skew": "Two paths, {delay} ms apart",
    "queue": "Queue with priority, {delay} ms",
}
"""path -> how the page names what was measured there"""


class Preset(NamedTuple):
    """Values that a button of the form sets."""

    label: str
    fields: dict[str, str]
    """field of the form -> its value"""


def presets(passed: Iterable[Passed]) -> list[Preset]:
    """A path that keeps the order, then of each cause the longest delay at the highest rate that
    the page offers. `passed`: windows that were enough."""
    found = [Preset("Packets stay in order", {"path": "none"})]
    offered = sorted((one.traffic for one in passed if one.shown), key=lambda t: (t.delay, t.rate))
    for path, label in _LABELS.items():
        here = [one for one in offered if one.path == path]
        if here:
            numbers = {name: getattr(here[-1], name) for name in ("rate", "size", "delay")}
            fields = {name: f"{value:.4g}" for name, value in numbers.items()}
            label = label.format(delay=f"{here[-1].delay:.3g}")
            found.append(Preset(label, {"path": path} | fields))
    return found
