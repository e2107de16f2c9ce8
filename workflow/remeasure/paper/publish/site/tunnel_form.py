"""The form of My tunnel (HTML without blank lines, which would end it in Markdown)."""

import html
from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

from remeasure.paper.analysis.models.window_advice import LINE_RATES
from remeasure.paper.publish.site.tunnel_tables import place
from remeasure.paper.publish.tunnel.configurations import ENDS, EXCHANGES, WAYS
from remeasure.paper.publish.tunnel.presets import Preset

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
