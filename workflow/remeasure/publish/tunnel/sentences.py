"""What My tunnel says at each place, for given values. tunnel-says.js says the same."""

from typing import Any

from remeasure.publish.tunnel.answer import (
    PROPOSED,
    Parts,
    Values,
    in_esp,
    proposed,
    span,
    speeds,
    whole,
    window,
)
from remeasure.publish.tunnel.configurations import EXCHANGES, WAYS
from remeasure.publish.tunnel.evenly import PATHS, evenly
from remeasure.publish.tunnel.page_wording import say
from remeasure.publish.tunnel.set_ups import SetUp, set_up_with, set_ups
from remeasure.publish.tunnel.what_fits import sizes


def default_texts(parts: Parts, values: Values) -> dict[str, str]:
    """Name of a place on the page -> what it says of the values."""
    times = {row["method"]: row for row in set_ups(parts, values)}
    measured = all(row["measured"] for row in times.values())
    filled = {
        "inputs": say(
            "inputs",
            rtt=f"{values.rtt:g}",
            rate=f"{values.rate:g}",
            size=f"{values.size:g}",
            path=say(f"path-{values.path}", delay=f"{values.delay:g}"),
            instructions=say(f"instructions-{values.instructions}"),
        ),
        "delay-label": say(f"delay-{values.path}"),
        **_window(parts, values),
        **_short(values, set_up_with(parts, values, values.exchange)),
        **_groups(parts, values),
        **_sizes(parts, values),
        "set-up-rests": _times_rest(parts, values, measured),
        **_cipher(parts, values),
    }
    marked = {method: _marked(row["text"], row["measured"]) for method, row in times.items()}
    return filled | {f"ms-{method}": text for method, text in marked.items()}


def _window(parts: Parts, values: Values) -> dict[str, str]:
    """Which window to set, and what that rests on."""
    found, source = window(parts, values)
    largest = parts.windows["windows"][-1]
    allowed = f"{100 * parts.windows['allowed']:g}"
    of_bursts = source in ("model", "beyond") and values.path in PATHS
    where = f"{source}-bursts" if of_bursts else source
    return {
        "window": say("window", window=found) if found else say("window-beyond"),
        "source": say(f"source-{where}", largest=largest),
        "why": say(
            f"why-{values.path}",
            persecond=whole(values.per_second),
            within=whole(values.per_second * values.delay / 1e3),
        ),
        "rests": say(f"rests-{where}", largest=largest, allowed=allowed),
        "even": evenly(parts, values, found),
    }


def _marked(text: str, measured: bool) -> str:
    """A time in a table: one by the model says so."""
    return text if measured else say("by-model", value=text)


def _short(values: Values, found: SetUp | None) -> dict[str, str]:
    """How long the chosen tunnel takes to set up, as the answer has it."""
    if found is None:
        return {
            "short-name": "",
            "short": say("speed-none"),
            "short-source": say("short-model"),
            "short-sent": "",
        }
    name = "short-name" if found.counted else "short-name-group"
    return {
        "short-name": say(name, method=found.method, group=EXCHANGES[values.exchange]),
        "short": say("set-up", ms=found.text),
        "short-source": say(f"short-{found.source}"),
        "short-sent": _sent(found),
    }


def _sent(found: SetUp) -> str:
    exchanges = f"{found.exchanges:g}"
    how = say(f"sent-{'counted' if found.counted else 'added'}")
    return say("sent", exchanges=exchanges, bytes=f"{found.sent:,}", how=how)


def _groups(parts: Parts, values: Values) -> dict[str, str]:
    """Each key exchange with the chosen way."""
    filled = {"groups": say("groups", way=WAYS[values.way][0])}
    for exchange in EXCHANGES:
        found = set_up_with(parts, values, exchange)
        filled |= {
            f"exchanges-{exchange}": f"{found.exchanges:g}" if found else say("speed-none"),
            f"sent-{exchange}": _bytes(found) if found else say("speed-none"),
            f"takes-{exchange}": _time(found) if found else say("speed-none"),
        }
    return filled


def _bytes(found: SetUp) -> str:
    return f"{found.sent:,}" if found.counted else say("by-sum", value=f"{found.sent:,}")


def _time(found: SetUp) -> str:
    return _marked(found.text, found.source == "measured")


def _sizes(parts: Parts, values: Values) -> dict[str, str]:
    """What fits into a packet: with the proposed suite in the answer, and with each suite."""
    by_suite = {suite: sizes(parts, values, suite) for suite in parts.suites["names"]}
    found = by_suite[proposed(parts, values)]
    how, seen = (_how(one) for one in (found.measured, found.seen))
    filled = {
        "segment": say("bytes", bytes=found.segment),
        "fits": say("fits", payload=found.payload, packet=found.packet, how=how),
        "wire": say(
            "wire-fits" if found.wire <= values.mtu else "wire-cut",
            wire=found.wire,
            how=seen,
        ),
        "sizes": say(
            "sizes",
            mode=say(f"mode-{values.mode}"),
            natt=say(f"natt-{values.natt}"),
            mtu=values.mtu,
            how=_how(all(one.measured for one in by_suite.values())),
            seen=_how(all(one.seen for one in by_suite.values())),
        ),
    }
    for suite, one in by_suite.items():
        columns = {name: getattr(one, name) for name in ("segment", "payload", "packet", "wire")}
        filled |= {f"{name}-{suite}": str(size) for name, size in columns.items()}
    return filled


def _how(measured: bool) -> str:
    return say(f"size-{'measured' if measured else 'computed'}")


def _cipher(parts: Parts, values: Values) -> dict[str, str]:
    """What the page says of suites."""
    by_suite, suite = speeds(parts, values), proposed(parts, values)
    filled = {
        "suite": parts.suites["names"][suite],
        "speed": _speed(parts, values, by_suite[suite]),
        "esp": _esp(parts, values),
        "speed-rests": say(
            f"speed-{'own' if values.speeds else 'ours'}",
            machine=parts.suites["machine"],
            libraries=" and ".join(parts.suites["libraries"]) or "none",
        ),
    }
    filled |= {f"esp-{one}": _over_reference(one, in_esp(parts, values)) for one in by_suite}
    return filled | {f"mbit-{one}": _mbit(values, one, speed) for one, speed in by_suite.items()}


def _mbit(values: Values, suite: str, found: list[float]) -> str:
    """The speed of a suite in the table; one of the reader's core says so."""
    if not found:
        return say("speed-none")
    if not values.speeds:
        return span(found)
    return say("mbit-given" if suite in values.speeds else "mbit-scaled", speed=span(found))


def _speed(parts: Parts, values: Values, found: list[float]) -> str:
    """What the answer says of the proposed suite; `found`: its speeds."""
    if not found:
        return say("speed-none")
    if values.speeds:
        return say("speed-yours", speed=span(found))
    name = "speed-masked" if values.instructions == "none" else "speed"
    return say(name, speed=span(found), machine=parts.suites["machine"])


def _esp(parts: Parts, values: Values) -> str:
    """What the answer says of ESP in the kernel, without the reader's own speeds or with them."""
    names, (reference, other) = parts.suites["names"], PROPOSED
    found = in_esp(parts, values).get(other)
    if not found:
        return say("esp-none")
    told = say("esp-open") if found["open"] else ""
    return say(
        "esp", other=names[other], ratio=found["text"], reference=names[reference], open=told
    )


def _over_reference(suite: str, found: dict[str, dict[str, Any]]) -> str:
    if suite == PROPOSED[0]:
        return "1"
    return found[suite]["text"] if suite in found else say("speed-none")


def _times_rest(parts: Parts, values: Values, measured: bool) -> str:
    if measured:
        return say("set-up-measured")
    rtts = sorted({float(rtt) for one in parts.set_up["methods"] for rtt in one["measured"]})
    return say(
        "set-up-model",
        worst=f"{parts.set_up['worst']:.1f}",
        rtts=", ".join(f"{rtt:g}" for rtt in rtts),
        beyond=say("set-up-beyond") if values.rtt > max(rtts, default=0) else "",
    )
