"""Form and tables of the page My tunnel (HTML without blank lines, which would end it in Markdown),
and the paths that it offers by name."""

import html
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from remeasure.paper.analysis.models.window_advice import LINE_RATES, Passed
from remeasure.paper.publish.advisor.configurations import ENDS, EXCHANGES, WAYS

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


Parts = Mapping[str, Any]
"""part of the page -> what a notebook handed over"""


def place(name: str, tag: str = "span") -> str:
    """An element whose text tunnel.js sets."""
    return f'<{tag} data-says="{name}"></{tag}>'


def times(parts: Parts) -> str:
    """Set-up time of each method."""
    rows = [
        [one["name"], f"{one['exchanges']:g}", place(f"ms-{one['method']}")]
        for one in parts["set_up"]["methods"]
    ]
    return _table(place("set-up-rests"), ["method", "exchanges", "time, ms"], rows)


def groups() -> str:
    """What each key exchange adds to the chosen way."""
    rows = [
        [name, *(place(f"{what}-{exchange}") for what in ("exchanges", "sent", "takes"))]
        for exchange, name in EXCHANGES.items()
    ]
    head = ["key exchange", "exchanges", "bytes of IKE", "time, ms"]
    return _table(place("groups"), head, rows)


def sizes(parts: Parts) -> str:
    """What fits into a packet, by suite."""
    columns = ("segment", "payload", "packet", "wire")
    rows = [
        [name, *(place(f"{column}-{suite}") for column in columns)]
        for suite, name in parts["suites"]["names"].items()
    ]
    head = ["suite", "MSS", "UDP payload", "inner MTU", "your packet on the wire"]
    return _table(place("sizes"), head, rows)


def suites(parts: Parts) -> str:
    """What a suite costs a processor."""
    rows = [
        [name, place(f"mbit-{suite}"), place(f"esp-{suite}")]
        for suite, name in parts["suites"]["names"].items()
    ]
    head = ["suite", "cipher alone, Mbit/s a core", "ESP, processor time over AES-128-GCM"]
    return _table(place("speed-rests"), head, rows)


def _table(caption: str, head: list[str], rows: list[list[str]]) -> str:
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in rest) + "</tr>"
        for first, *rest in rows
    )
    return (
        f'<table class="table tunnel-table"><caption>{caption}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    )


_PATHS = {
    "none": "not at all",
    "jitter": "by jitter",
    "skew": "by two paths",
    "queue": "by a queue with priority",
}
_MODES = {"tunnel": "tunnel (networks behind)", "transport": "transport (gateways alone)"}
_NAT_T = {"no": "no: plain ESP", "yes": "yes: ESP in UDP"}
_INSTRUCTIONS = {
    "all": "VAES, AVX-512",
    "aes": "AES, AVX2",
    "none": "no AES",
}
"""level of factor `instructions` -> what a reader chooses"""
_PORTS = {"": "the next at or above the rate"} | {
    f"{line}": f"{line / 1000:g} Gbit/s" for line in LINE_RATES
}


def form(presets: Iterable[Preset]) -> str:
    """The form, hidden until tunnel.js shows it. Each of `presets` is a button that sets some
    values."""
    core = [
        _select("instructions", "Instructions", _INSTRUCTIONS),
        _number("gcm", "AES-128-GCM, Mbit/s", None, 1, 10_000_000),
        _number("chacha", "ChaCha20-Poly1305, Mbit/s", None, 1, 10_000_000),
        '<label class="tunnel-wide">Speeds of one core are optional. Or paste what <code>openssl '
        "speed -evp aes-128-gcm</code> and <code>openssl speed -evp chacha20-poly1305</code> print"
        '<textarea name="pasted" rows="2" autocomplete="off" spellcheck="false"></textarea></label>'
        '<output class="tunnel-wide" data-says="pasted"></output>',
    ]
    tunnel = [
        _select("way", "Authentication", {way: name for way, (name, _) in WAYS.items()}),
        _select("exchange", "Key exchange", EXCHANGES),
        _select("mode", "Mode", _MODES),
        _select("natt", "NAT traversal", _NAT_T),
        _select("end", "Gateway to configure", ENDS),
    ]
    groups = {"Path": _path(presets), "Processor (one core)": core, "Tunnel": tunnel}
    fields = "\n".join(
        f"<fieldset><legend>{name}</legend>{''.join(group)}</fieldset>"
        for name, group in groups.items()
    )
    return (
        f'<form class="tunnel" hidden autocomplete="off" aria-label="your values">\n'
        f"{fields}\n</form>\n"
        "<noscript>This page computes in your browser and needs JavaScript.</noscript>"
    )


def _path(presets: Iterable[Preset]) -> list[str]:
    """The fields on the path."""
    delay = place("delay-label")
    return [
        _buttons(presets),
        _number("rtt", "Round trip, ms", 50, 0, 10_000),
        _number("rate", "Rate of payload, Mbit/s", 100, 0.01, 400_000),
        _select("line", "Line rate of the sender's port", _PORTS),
        _number("size", "Payload of a packet, bytes", 1400, 16, 9000),
        _select("path", "Packets are reordered", _PATHS),
        _number("delay", delay, 1, 0, 200),
        _number("mtu", "MTU of the path, bytes", 1500, 576, 9000, "1"),
    ]


def _buttons(presets: Iterable[Preset]) -> str:
    """What we measured, by name."""
    buttons = "".join(
        f'<button type="button" data-preset="{html.escape(urlencode(one.fields))}">'
        f"{html.escape(one.label)}</button>"
        for one in presets
    )
    return (
        '<div class="tunnel-wide tunnel-presets" role="group" aria-labelledby="tunnel-presets">'
        f'<span id="tunnel-presets">What we measured:</span> {buttons}</div>'
    )


def _number(
    name: str, label: str, value: float | None, least: float, most: float, step: str = "any"
) -> str:
    given = "" if value is None else f' value="{value:g}" required'
    range_ = f'min="{least}" max="{most}" step="{step}"'
    return f'<label>{label}<input type="number" name="{name}" {range_}{given}></label>'


def _select(name: str, label: str, choices: Mapping[str, str]) -> str:
    """A choice; the first of `choices` is chosen."""
    options = "".join(f'<option value="{value}">{text}</option>' for value, text in choices.items())
    return f'<label>{label}<select name="{name}">{options}</select></label>'
