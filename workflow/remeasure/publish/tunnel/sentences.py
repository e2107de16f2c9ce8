"""The sentences of My tunnel. Page and browser fill the same ones: names in braces are values."""

from typing import Any

from remeasure.publish.tunnel.answer import (
    PROPOSED,
    Parts,
    Values,
    chosen_set_up,
    in_esp,
    milliseconds,
    proposed,
    set_ups,
    span,
    speeds,
    window,
)

TEXTS = {
    "inputs": "For a round trip of {rtt} ms, {rate} Mbit/s of payload, {size} bytes in a packet, "
    "{path}, and a processor {instructions}:",
    "stale": "These are not your values: correct the field marked below.",
    "none": "No configuration for these values: correct the field that is marked in the form.",
    "unknown": "The address says {label} = {value}, which is no choice here. We took {first}.",
    "path-none": "a path that keeps the order of packets",
    "path-jitter": "a jitter of {delay} ms",
    "path-skew": "two paths whose delays differ by {delay} ms",
    "path-queue": "a queue that prefers a class, in which others wait up to {delay} ms",
    "instructions-all": "with AES, VAES and AVX-512 instructions",
    "instructions-aes": "with AES and AVX2 instructions",
    "instructions-none": "without AES instructions",
    "window": "{window} packets",
    "window-beyond": "No window is wide enough",
    "source-order": "strongSwan's default",
    "source-measured": "measured here",
    "source-bounded": "from a measurement nearby",
    "source-model": "by the model",
    "source-beyond": "Linux takes at most {largest}",
    "why-none": "The path keeps the order of packets, and then the default is enough.",
    "why-jitter": "You send {persecond} packets a second, {within} of them within one standard "
    "deviation of the delay.",
    "why-skew": "You send {persecond} packets a second, {within} of them within the skew. So many "
    "numbers is a packet on the slower path behind the newest if they leave evenly.",
    "why-queue": "You send {persecond} packets a second, {within} of them while a packet waits. "
    "So many numbers is it behind the newest when it leaves, if they leave evenly.",
    "rests-order": "",
    "rests-measured": "We measured this rate and jitter. Of the windows that we tried it is the "
    "narrowest that dropped at most {allowed} % in every run.",
    "rests-bounded": "The model asks for another window. We measured a rate and jitter nearby, and "
    "what was enough there bounds the advice.",
    "rests-model": "We did not measure here: this is a model, which widens the window for bursts "
    "of the sender.",
    "rests-beyond": "By the model even {largest} packets drop more than {allowed} %.",
    "set-up": "{ms} ms",
    "short-name": "{method}: ",
    "short-name-more": "{method}, ML-KEM hybrid: ",
    "short-measured": "measured",
    "short-more": "not measured; by the model one exchange more",
    "short-model": "by the model",
    "set-up-measured": "Measured at this round trip: means with 95 % intervals.",
    "set-up-model": "By the model, which was off by {worst} ms at most where we measured ({rtts} "
    "ms).{beyond}",
    "set-up-beyond": " Your round trip is longer than any that we measured.",
    "speed": "The cipher alone, in a library, does {speed} Mbit/s a core; a tunnel is slower.",
    "speed-masked": "The cipher alone, in a library, does {speed} Mbit/s a core of a fast x86 "
    "({machine}) with AES masked; a tunnel is slower. On a small router paste your own numbers: "
    "they may be far lower, and the order may differ.",
    "speed-ours": "Measured on {machine}, with {libraries}.",
    "speed-own": "Your core. Where you gave no speed, yours for another suite times the ratio that "
    "we measured with {libraries}.",
    "speed-none": "not measured",
    "esp": "In ESP of the kernel {other} took {ratio} times the processor time of {reference}."
    "{open}",
    "esp-open": " The interval contains 1, so the order is open.",
    "esp-none": "ESP of the kernel was not measured with such instructions.",
    "not-enough": "  # not wide enough: see Replay window",
}
"""name -> sentence"""


def default_texts(parts: Parts, values: Values) -> dict[str, str]:
    """Name of a place on the page -> what it says of the values."""
    found, source = window(parts, values)
    times = {row["method"]: row for row in set_ups(parts, values)}
    measured = all(row["measured"] for row in times.values())
    largest = parts.windows["windows"][-1]
    allowed = f"{100 * parts.windows['allowed']:g}"
    filled = {
        "inputs": say(
            "inputs",
            rtt=f"{values.rtt:g}",
            rate=f"{values.rate:g}",
            size=f"{values.size:g}",
            path=say(f"path-{values.path}", delay=f"{values.delay:g}"),
            instructions=say(f"instructions-{values.instructions}"),
        ),
        "window": say("window", window=found) if found else say("window-beyond"),
        "source": say(f"source-{source}", largest=largest),
        "why": say(
            f"why-{values.path}",
            persecond=f"{values.per_second:,.0f}",
            within=f"{values.per_second * values.delay / 1e3:,.0f}",
        ),
        "rests": say(f"rests-{source}", largest=largest, allowed=allowed),
        **_short(parts, values),
        "set-up-rests": _times_rest(parts, values, measured),
        **_cipher(parts, values),
    }
    return filled | {f"ms-{method}": row["text"] for method, row in times.items()}


def say(name: str, **values: object) -> str:
    """The sentence with its values."""
    return TEXTS[name].format(**values)


def _short(parts: Parts, values: Values) -> dict[str, str]:
    """How long the chosen tunnel takes to set up, as the answer has it."""
    row = chosen_set_up(parts, values)
    if row is None:
        return {"short-name": "", "short": say("speed-none"), "short-source": say("short-model")}
    source = "more" if row["more"] else "measured" if row["measured"] else "model"
    return {
        "short-name": say(f"short-name{'-more' * row['more']}", method=row["name"]),
        "short": say("set-up", ms=milliseconds(row["ms"])),
        "short-source": say(f"short-{source}"),
    }


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
    return filled | {
        f"mbit-{one}": span(speed) if speed else say("speed-none")
        for one, speed in by_suite.items()
    }


def _speed(parts: Parts, values: Values, found: list[float]) -> str:
    """What the answer says of the proposed suite; `found`: its speeds."""
    if not found:
        return say("speed-none")
    name = "speed-masked" if values.instructions == "none" and not values.speeds else "speed"
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
