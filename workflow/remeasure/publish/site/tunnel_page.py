"""The page My tunnel: site/tunnel.md with the answer for the values with which it begins, and with
what site/_static/tunnel.js needs for others. The page holds all of it, and asks no server."""

import html
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from remeasure.notebook.tunnel.set_up import MEASURED_AS
from remeasure.publish.site.tunnel_form import form
from remeasure.publish.site.tunnel_tables import groups, place, sizes, suites, times
from remeasure.publish.tunnel.answer import Parts, Values, proposed, window
from remeasure.publish.tunnel.configurations import (
    ENCAP_LINE,
    EXCHANGES,
    WAYS,
    Chosen,
    configuration,
    templates,
)
from remeasure.publish.tunnel.page_wording import TEXTS
from remeasure.publish.tunnel.presets import presets
from remeasure.publish.tunnel.sentences import default_texts

_NOTEBOOKS = {
    "windows": "replay_window",
    "set_up": "eap_methods",
    "suites": "cipher_cost",
    "esp": "esp_instructions",
    "sizes": "packet_sizes",
    "groups": "key_exchange",
    "computing": "key_exchange_cost",
    "even": "reordering_causes",
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
        "sizes": lambda: sizes(parts, texts),
        "times": lambda: times(parts, texts),
        "groups": lambda: groups(texts),
        "suites": lambda: suites(parts, texts),
    }


def _answer(texts: Mapping[str, str]) -> str:
    time = f"{place('short-name', texts)}{place('short', texts, 'strong')}"
    lines = {
        "Replay window": f"{place('window', texts, 'strong')} ({place('source', texts)}). "
        f"{place('even', texts)}",
        "Set-up": f"{time} ({place('short-source', texts)}). {place('short-sent', texts)}",
        "Packet": f"MSS {place('segment', texts, 'strong')}{place('fits', texts)} "
        f"{place('wire', texts)}",
        "Cipher": f"{place('suite', texts, 'strong')}. {place('esp', texts)} "
        f"{place('speed', texts)}",
    }
    items = "".join(f"<dt>{term}</dt><dd>{says}</dd>" for term, says in lines.items())
    return (
        '<div class="tunnel-top"><div class="tunnel-answer" role="status" aria-label="answer">'
        f"{place('inputs', texts, 'p')}<dl>{items}</dl></div>"
        '<p class="tunnel-to"><a href="#swanctl-conf">swanctl.conf for these values</a></p>'
        '<p class="tunnel-wrong" role="alert" data-says="wrong"></p></div>'
    )


def _top(parts: Parts, texts: Mapping[str, str]) -> str:
    """The answer above the form: it stays in sight while the form is filled in."""
    style = '<link rel="stylesheet" href="_static/tunnel.css">'
    return (
        f"<div>{style}\n{_answer(texts)}\n{form(BEGINS, presets(parts))}\n</div>\n\n{_data(parts)}"
    )


def _data(parts: Parts) -> str:
    data = {
        **vars(parts),
        "measured_as": MEASURED_AS,
        "texts": TEXTS,
        "configurations": templates(),
        "encap": ENCAP_LINE,
        "exchanges": EXCHANGES,
        "ways": {way: name for way, (name, _) in WAYS.items()},
    }
    # "</" would end the script.
    document = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    scripts = "".join(
        f'<script defer src="_static/{name}.js"></script>'
        for name in ("tunnel-model", "tunnel-says", "tunnel")
    )
    return f'<script type="application/json" id="tunnel-data">{document}</script>\n{scripts}'


def _configuration(parts: Parts) -> str:
    found, _ = window(parts, BEGINS)
    widest = parts.windows["windows"][-1]
    suite = proposed(parts, BEGINS)
    text = configuration(
        Chosen(BEGINS.way, "gw1", BEGINS.exchange, suite, found or widest, natt=BEGINS.natt)
    )
    if found is None:
        line = f"replay_window = {widest}"
        text = text.replace(line, line + TEXTS["not-enough"])
    buttons = "".join(
        f'<button type="button" id="{name}" hidden>{label}</button> '
        for name, label in _BUTTONS.items()
    )
    return (
        f'<p class="tunnel-buttons">{buttons}{place("copied", {}, "output")}</p>\n\n'
        f'<p class="tunnel-none">{TEXTS["none"]}</p>\n\n'
        '<pre class="tunnel-configuration" tabindex="0" role="region" aria-label="swanctl.conf">'
        f"{place('configuration', {'configuration': text}, 'code')}</pre>"
    )


def _window(parts: Parts, texts: Mapping[str, str]) -> str:
    beyond = "".join(f"<li>{html.escape(one)}</li>" for one in _BEYOND)
    _, source = window(parts, BEGINS)
    return (
        f'<p class="tunnel-window"><strong>{place("window", texts)}</strong> '
        f"({place('source', texts)}). "
        f"{place('why', texts)} {place('rests', texts)} {place('even', texts)}</p>"
        f'<div id="tunnel-beyond"{"" if source == "beyond" else " hidden"}><p>What you can do, in '
        f"this order:</p><ol>{beyond}</ol></div>"
    )
