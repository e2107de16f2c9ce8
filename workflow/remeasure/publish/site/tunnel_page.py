"""The page My tunnel: site/tunnel.md with the answer for the values with which it begins, and with
what site/_static/tunnel.js needs for others. The page holds all of it, and asks no server."""

import html
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from remeasure.notebook.tunnel.set_up import MEASURED_AS
from remeasure.publish.site.tunnel_form import form
from remeasure.publish.tunnel.answer import Parts, Values, proposed, window
from remeasure.publish.tunnel.configurations import configuration, templates
from remeasure.publish.tunnel.sentences import TEXTS, default_texts

_NOTEBOOKS = {
    "windows": "replay_window",
    "set_up": "eap_methods",
    "suites": "cipher_cost",
    "esp": "esp_instructions",
}
"""part of the page -> notebook that hands it over"""
_BUTTONS = {
    "tunnel-copy": "Copy swanctl.conf",
    "tunnel-link": "Copy a link to these values",
}
BEGINS = Values()
"""values with which the page begins"""
_BEYOND = (
    "Keep the order: find out what reorders (several links, queues or processors), and send a flow "
    "over one of them.",
    "Use several SAs, each with its own window, where that takes packets of different delay apart "
    "(per-CPU SAs, RFC 9611; one for each class of traffic, RFC 4301, section 4.1).",
    "Pace or shape what enters the tunnel, so that fewer packets are under way within one jitter.",
)


def read_parts(handed: Mapping[str, Path]) -> Parts:
    """What the notebooks handed over. `handed`: notebook -> folder."""
    return Parts(
        **{
            part: json.loads((handed[notebook] / "tunnel.json").read_text())
            for part, notebook in _NOTEBOOKS.items()
        }
    )


def tunnel_sections(parts: Parts) -> dict[str, Callable[[], str]]:
    """Section of site/tunnel.md -> what makes it (see publish.generated)."""
    texts = default_texts(parts, BEGINS)
    return {
        "answer": lambda: _top(parts, texts),
        "configuration": lambda: _configuration(parts),
        "window": lambda: _window(parts, texts),
        "times": lambda: _times(parts, texts),
        "suites": lambda: _suites(parts, texts),
    }


def _place(name: str, texts: Mapping[str, str], tag: str = "span") -> str:
    """An element whose text tunnel.js sets."""
    return f'<{tag} data-says="{name}">{html.escape(texts.get(name, ""))}</{tag}>'


def _answer(texts: Mapping[str, str]) -> str:
    time = f"{_place('short-name', texts)}{_place('short', texts, 'strong')}"
    lines = {
        "Replay window": f"{_place('window', texts, 'strong')} ({_place('source', texts)})",
        "Set-up": f"{time} ({_place('short-source', texts)})",
        "Cipher": f"{_place('suite', texts, 'strong')}. {_place('esp', texts)} "
        f"{_place('speed', texts)}",
    }
    items = "".join(f"<dt>{term}</dt><dd>{says}</dd>" for term, says in lines.items())
    return (
        '<div class="tunnel-top"><div class="tunnel-answer" role="status" aria-label="answer">'
        f"{_place('inputs', texts, 'p')}<dl>{items}</dl></div>"
        '<p class="tunnel-wrong" role="alert" data-says="wrong"></p></div>'
    )


def _top(parts: Parts, texts: Mapping[str, str]) -> str:
    """The answer above the form: it stays in sight while the form is filled in."""
    style = '<link rel="stylesheet" href="_static/tunnel.css">'
    return f"<div>{style}\n{_answer(texts)}\n{form(BEGINS)}\n</div>\n\n{_data(parts)}"


def _data(parts: Parts) -> str:
    data = {
        "windows": parts.windows,
        "set_up": parts.set_up,
        "suites": parts.suites,
        "esp": parts.esp,
        "measured_as": MEASURED_AS,
        "texts": TEXTS,
        "configurations": templates(),
    }
    # "</" would end the script.
    document = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    scripts = "".join(
        f'<script defer src="_static/{name}.js"></script>' for name in ("tunnel-model", "tunnel")
    )
    return f'<script type="application/json" id="tunnel-data">{document}</script>\n{scripts}'


def _configuration(parts: Parts) -> str:
    found, _ = window(parts, BEGINS)
    widest = parts.windows["windows"][-1]
    suite = proposed(parts, BEGINS)
    text = configuration("psk", "gw1", "x25519", suite, found or widest)
    if found is None:
        line = f"replay_window = {widest}"
        text = text.replace(line, line + TEXTS["not-enough"])
    buttons = "".join(
        f'<button type="button" id="{name}" hidden>{label}</button> '
        for name, label in _BUTTONS.items()
    )
    return (
        f'<p class="tunnel-buttons">{buttons}{_place("copied", {}, "output")}</p>\n\n'
        f'<p class="tunnel-none">{TEXTS["none"]}</p>\n\n'
        '<pre class="tunnel-configuration" tabindex="0" role="region" aria-label="swanctl.conf">'
        f"{_place('configuration', {'configuration': text}, 'code')}</pre>"
    )


def _window(parts: Parts, texts: Mapping[str, str]) -> str:
    beyond = "".join(f"<li>{html.escape(one)}</li>" for one in _BEYOND)
    _, source = window(parts, BEGINS)
    return (
        f'<p class="tunnel-window"><strong>{_place("window", texts)}</strong> '
        f"({_place('source', texts)}). "
        f"{_place('why', texts)} {_place('rests', texts)}</p>"
        f'<div id="tunnel-beyond"{"" if source == "beyond" else " hidden"}><p>What you can do, in '
        f"this order:</p><ol>{beyond}</ol></div>"
    )


def _times(parts: Parts, texts: Mapping[str, str]) -> str:
    rows = [
        [one["name"], f"{one['exchanges']:g}", _place(f"ms-{one['method']}", texts)]
        for one in parts.set_up["methods"]
    ]
    return _table(_place("set-up-rests", texts), ["method", "exchanges", "time, ms"], rows)


def _suites(parts: Parts, texts: Mapping[str, str]) -> str:
    rows = [
        [name, _place(f"mbit-{suite}", texts), _place(f"esp-{suite}", texts)]
        for suite, name in parts.suites["names"].items()
    ]
    head = ["suite", "cipher alone, Mbit/s a core", "ESP, processor time over AES-128-GCM"]
    return _table(_place("speed-rests", texts), head, rows)


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
