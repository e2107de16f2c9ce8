"""The page My tunnel: site/tunnel.md with the form and what site/_static/tunnel.js needs to answer.
The page holds all of it, and asks no server."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from remeasure.bench.base.paths import ROOT
from remeasure.bench.base.yaml_files import read_yaml
from remeasure.paper.notebook.tunnel.set_up import MEASURED_AS
from remeasure.paper.notebook.tunnel.windows import passed_of
from remeasure.paper.publish.advisor.configurations import (
    DSCP_LINES,
    ENCAP_LINE,
    EXCHANGES,
    WAYS,
    templates,
)
from remeasure.paper.publish.advisor.form import (
    Parts,
    form,
    groups,
    place,
    presets,
    sizes,
    suites,
    times,
)

_TEXTS = ROOT / "site/tunnel-texts.yaml"
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
_CURES = (
    "Set <code>copy_dscp = no</code>: the network then sees one class and keeps the order. Calls "
    "wait with everything else.",
    "Keep the order: find out what reorders (several links, queues or processors), and send a flow "
    "over one of them.",
    "Use several SAs, each with its own window, where that takes packets of different delay apart "
    "(per-CPU SAs, RFC 9611; one for each class of traffic, RFC 4301, section 4.1).",
    "Pace or shape what enters the tunnel, so that fewer packets are under way within one jitter.",
)


def read_parts(handed: Mapping[str, Path]) -> Parts:
    """What the notebooks handed over. `handed`: notebook -> folder."""
    return {
        part: json.loads((handed[notebook] / "tunnel.json").read_text())
        for part, notebook in _NOTEBOOKS.items()
    }


def _texts() -> dict[str, str]:
    """Name -> sentence of the page."""
    texts: Any = read_yaml(_TEXTS)
    return {str(name): str(text) for name, text in texts.items()}


def tunnel_sections(parts: Parts) -> dict[str, Callable[[], str]]:
    """Section of site/tunnel.md -> what makes it (see publish.generated)."""
    return {
        "answer": lambda: _top(parts),
        "configuration": _configuration,
        "window": _window,
        "sizes": lambda: sizes(parts),
        "times": lambda: times(parts),
        "groups": groups,
        "suites": lambda: suites(parts),
    }


def _answer() -> str:
    lines = {
        "Replay window": f"{place('first')} {place('window', 'strong')} ({place('source')}). "
        f"{place('even')}",
        "Set-up": f"{place('short-name')}{place('short', 'strong')} ({place('short-source')}). "
        f"{place('short-sent')}",
        "Packet": f"MSS {place('segment', 'strong')}{place('fits')} {place('wire')}",
        "Cipher": f"{place('suite', 'strong')}. {place('esp')} {place('speed')}",
    }
    items = "".join(f"<dt>{term}</dt><dd>{says}</dd>" for term, says in lines.items())
    return (
        '<div class="tunnel-top"><div class="tunnel-answer" role="status" aria-label="answer">'
        f"{place('inputs', 'p')}<dl>{items}</dl></div>"
        '<p class="tunnel-to"><a href="#swanctl-conf">swanctl.conf for these values</a></p>'
        '<p class="tunnel-wrong" role="alert" data-says="wrong"></p></div>'
    )


def _top(parts: Parts) -> str:
    """The answer above the form: it stays in sight while the form is filled in."""
    style = '<link rel="stylesheet" href="_static/tunnel.css">'
    buttons = presets(passed_of(parts["windows"], parts["even"]))
    return f"<div>{style}\n{_answer()}\n{form(buttons)}\n</div>\n\n{_data(parts)}"


def _data(parts: Parts) -> str:
    data = {
        **parts,
        "measured_as": MEASURED_AS,
        "texts": _texts(),
        "configurations": templates(),
        "encap": ENCAP_LINE,
        "dscp": DSCP_LINES,
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


def _configuration() -> str:
    buttons = "".join(
        f'<button type="button" id="{name}" hidden>{label}</button> '
        for name, label in _BUTTONS.items()
    )
    return (
        f'<p class="tunnel-buttons">{buttons}{place("copied", "output")}</p>\n\n'
        f'<p class="tunnel-none">{_texts()["none"]}</p>\n\n'
        '<pre class="tunnel-configuration" tabindex="0" role="region" aria-label="swanctl.conf">'
        f"{place('configuration', 'code')}</pre>"
    )


def _window() -> str:
    cures = "".join(f"<li>{one}</li>" for one in _CURES)
    return (
        f'<p class="tunnel-window">{place("window", "strong")} ({place("source")}). '
        f"{place('why')} {place('rests')} {place('even')}</p>"
        '<div id="tunnel-cures" hidden><p>Remedies, in this order:</p>'
        f"<ol>{cures}</ol></div>"
    )
