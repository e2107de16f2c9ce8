"""What My tunnel says of packets that leave evenly behind two paths, or behind a queue with
priority: which window the law asks for, and what was measured near the reader's values. The advice
itself is wider, since packets of real senders leave in bursts."""

from typing import Any

from remeasure.analysis.models.queue_reordering import needed_window
from remeasure.publish.tunnel.answer import Parts, Values, number, whole
from remeasure.publish.tunnel.page_wording import say

PATHS = ("skew", "queue")
"""paths behind which packets that left evenly were measured"""


def enough_if_even(values: Values) -> int | None:
    """The window that is enough for packets that leave evenly, by the law [packets]; None if Linux
    takes none that wide."""
    return needed_window(values.delay / 1e3, values.per_second)


def nearest(parts: Parts, values: Values) -> dict[str, Any] | None:
    """What was measured nearest to the reader's rate and delay; None if that is not near."""

    def apart(one: dict[str, Any]) -> tuple[float, float]:
        pairs = (values.per_second, one["per_second"]), (values.delay, one["delay"])
        faster, later = (max(pair) / min(pair) for pair in pairs)
        return faster, later

    here = [one for one in parts.even["measured"] if one["path"] == values.path]
    near = [one for one in here if max(apart(one)) <= parts.even["near"]]
    return min(near, key=lambda one: apart(one)[0] * apart(one)[1], default=None)


def evenly(parts: Parts, values: Values, advised: int | None) -> str:
    """The sentences; none where the page advises by jitter, or where packets keep their order.
    `advised`: the window [packets]."""
    if values.path not in PATHS or values.delay == 0:
        return ""
    largest = parts.windows["windows"][-1]
    even = enough_if_even(values)
    says = [say("even-law" if even else "even-law-beyond", even=even, largest=largest)]
    says.append(_measured(parts, values))
    if advised is None:
        says.append(say("even-more-beyond", largest=largest))
    elif even and advised > even:
        says.append(say("even-more"))
    return " ".join(says)


def _measured(parts: Parts, values: Values) -> str:
    found = nearest(parts, values)
    if found is None:
        return say("even-unmeasured")
    return say(
        "even-measured" if found["enough"] else "even-unmet",
        persecond=whole(found["per_second"]),
        delay=number(found["delay"]),
        enough=found["enough"],
        allowed=f"{100 * parts.windows['allowed']:g}",
    )
