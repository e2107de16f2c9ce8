"""The contents of site/tunnel.md from notebooks and code: tables, choices, and the values from
which site/_static/tunnel.js answers. The page includes all of it, and asks no server."""

import html
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from remeasure.bench.base.family import IPV4
from remeasure.bench.base.files import read_yaml
from remeasure.bench.base.paths import ROOT
from remeasure.bench.ipsec.kinds import wireguard
from remeasure.paper.analysis.models.window_advice import LINE_RATES, Passed
from remeasure.paper.notebook.my_tunnel import MEASURED_AS, NAMES, passed_of
from remeasure.paper.publish.advisor.configurations import (
    DSCP_LINES,
    ENCAP_LINE,
    ENDS,
    EXCHANGES,
    WAYS,
    WIREGUARD,
    templates,
    wireguard_templates,
)

_NOTEBOOKS = {
    "windows": "replay_window",
    "set_up": "eap_methods",
    "esp": "esp_instructions",
    "sizes": "packet_sizes",
    "groups": "key_exchange",
    "computing": "key_exchange_cost",
    "even": "reordering_causes",
}
"""part of the page -> notebook that hands it over"""
_WAYS = {way: name for way, (name, _) in WAYS.items()}
_PORTS = {"": "the next at or above the rate"} | {
    f"{line}": f"{line / 1000:g} Gbit/s" for line in LINE_RATES
}
_LABELS = {
    "jitter": "Pratama 2025: jitter of {delay} ms",
    "skew": "Two paths, {delay} ms apart",
    "queue": "Queue with priority, {delay} ms",
}
"""path -> the page's name for measurements there"""
Parts = Mapping[str, Any]
"""part of the page -> a notebook's result"""


def read_parts(handed: Mapping[str, Path]) -> Parts:
    """The results of the notebooks. `handed`: notebook -> folder."""
    return {
        part: json.loads((handed[notebook] / "tunnel.json").read_text())
        for part, notebook in _NOTEBOOKS.items()
    }


def presets(passed: Iterable[Passed]) -> dict[str, dict[str, str]]:
    """Label of a button -> the values of fields of the form that it sets: a path that keeps the
    order, then for each cause the longest delay at the highest rate on the page. `passed`: windows
    that were enough."""
    found = {"Packets stay in order": {"path": "none"}}
    offered = sorted((one.traffic for one in passed if one.shown), key=lambda t: (t.delay, t.rate))
    for path, label in _LABELS.items():
        here = [one for one in offered if one.path == path]
        if here:
            numbers = {name: getattr(here[-1], name) for name in ("rate", "size", "delay")}
            fields = {name: f"{value:.4g}" for name, value in numbers.items()}
            found[label.format(delay=f"{here[-1].delay:.3g}")] = {"path": path} | fields
    return found


def tunnel_texts(parts: Parts) -> dict[str, str]:
    """Name in site/tunnel.md -> its text (HTML without blank lines, which would end it in
    Markdown)."""
    methods = parts["set_up"]["methods"]
    return {
        "tunnelPresets": "".join(
            f'<button type="button" data-preset="{html.escape(urlencode(fields))}">'
            f"{html.escape(label)}</button>"
            for label, fields in presets(passed_of(parts["windows"], parts["even"])).items()
        ),
        "tunnelPorts": _options(_PORTS),
        "tunnelWays": _options(_WAYS),
        "tunnelExchanges": _options(EXCHANGES),
        "tunnelEnds": _options(ENDS),
        "tunnelTimes": "".join(
            _row(one["name"], [f"{one['exchanges']:g}", _place("ms", one["method"])])
            for one in methods
        ),
        "tunnelGroups": _rows(EXCHANGES, "exchanges", "sent", "takes"),
        "tunnelSizes": _rows(
            NAMES | {"wireguard": "WireGuard (computed)"}, "segment", "payload", "packet", "wire"
        ),
        "tunnelSuites": _rows(NAMES, "esp"),
        "tunnelData": _data(parts),
    }


def _options(choices: Mapping[str, str]) -> str:
    return "".join(f'<option value="{value}">{text}</option>' for value, text in choices.items())


def _rows(names: Mapping[str, str], *columns: str) -> str:
    """Rows of a table. `names`: subject of a row -> its name on the page."""
    return "".join(_row(name, [_place(c, of) for c in columns]) for of, name in names.items())


def _row(first: str, rest: Iterable[str]) -> str:
    cells = "".join(f"<td>{cell}</td>" for cell in rest)
    return f'<tr><th scope="row">{first}</th>{cells}</tr>'


def _place(column: str, of: str) -> str:
    """An element whose text tunnel.js sets."""
    return f'<span data-says="{column}-{of}"></span>'


def _data(parts: Parts) -> str:
    """All that the scripts read, and the scripts."""
    data = {
        **parts,
        "measured_as": MEASURED_AS,
        "suites": NAMES,
        "texts": read_yaml(ROOT / "site/tunnel-texts.yaml"),
        "configurations": templates(),
        "sizes": parts["sizes"] | {"wireguard": asdict(WIREGUARD.growth(IPV4))},
        "wireguard": {"window": wireguard.WINDOW, "configurations": wireguard_templates()},
        "encap": ENCAP_LINE,
        "dscp": DSCP_LINES,
        "exchanges": EXCHANGES,
        "ways": _WAYS,
    }
    # "</" would end the script.
    document = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    scripts = "".join(
        f'<script defer src="_static/{name}.js"></script>'
        for name in ("tunnel-model", "tunnel-says", "tunnel")
    )
    return f'<script type="application/json" id="tunnel-data">{document}</script>\n{scripts}'
