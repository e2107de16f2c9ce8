"""The contents of site/tunnel.md from notebooks and code: tables, choices, and the values from
which site/_static/tunnel.js answers. The page includes all of it, and asks no server."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from remeasure.bench.base.files import read_yaml
from remeasure.bench.base.paths import ROOT
from remeasure.bench.ipsec.kinds import wireguard
from remeasure.paper.analysis.models.window_advice import LINE_RATES, Passed
from remeasure.paper.notebook.my_tunnel import MEASURED_AS, NAMES, WORDS, passed_of
from remeasure.paper.publish.advisor import configurations
from remeasure.paper.publish.templates import macros

_PAGE = macros(__file__, urlencode=urlencode)
_WAYS = {way: one["name"] for way, one in configurations.WAYS.items()}
_PORTS = {"": "the next at or above the rate"} | {
    f"{line}": f"{line / 1000:g} Gbit/s" for line in LINE_RATES
}
PageParts = Mapping[str, Any]
"""part of the page -> a notebook's result"""


def read_parts(handed: Mapping[str, Path]) -> PageParts:
    """The results of the notebooks. `handed`: notebook -> folder."""
    return {
        part: json.loads((handed[notebook] / "tunnel.json").read_text())
        for part, notebook in WORDS["notebooks"].items()
    }


def presets(passed: Iterable[Passed]) -> dict[str, dict[str, str]]:
    """Label of a button -> the values of fields of the form that it sets: a path that keeps the
    order, then for each cause the longest delay at the highest rate on the page. `passed`: windows
    that were enough."""
    found = {"Packets stay in order": {"path": "none"}}
    offered = sorted((one.traffic for one in passed if one.shown), key=lambda t: (t.delay, t.rate))
    for path, label in WORDS["paths"].items():
        here = [one for one in offered if one.path == path]
        if here:
            numbers = {name: getattr(here[-1], name) for name in ("rate", "size", "delay")}
            fields = {name: f"{value:.4g}" for name, value in numbers.items()}
            found[label.format(delay=f"{here[-1].delay:.3g}")] = {"path": path} | fields
    return found


def tunnel_texts(parts: PageParts) -> dict[str, str]:
    """Name in site/tunnel.md -> its text (HTML without blank lines, which would end it in
    Markdown)."""
    tables = {
        "Groups": _PAGE.rows(configurations.EXCHANGES, ["exchanges", "sent", "takes"]),
        "Sizes": _PAGE.rows(NAMES | WORDS["others"], ["segment", "payload", "packet", "wire"]),
        "Suites": _PAGE.rows(NAMES, ["esp"]),
    }
    passed = passed_of(*parts.values())
    texts = {
        "Presets": _PAGE.presets(presets(passed)),
        "Ports": _PAGE.options(_PORTS),
        "Ways": _PAGE.options(_WAYS),
        "Exchanges": _PAGE.options(configurations.EXCHANGES),
        "Ends": _PAGE.options(configurations.ENDS),
        "Times": _PAGE.times(parts["set_up"]["methods"]),
        **tables,
        "Data": _data(parts),
    }
    return {f"tunnel{name}": text for name, text in texts.items()}


def _data(parts: PageParts) -> str:
    """All that the scripts read, and the scripts."""
    data = {
        **parts,
        "measured_as": MEASURED_AS,
        "suites": NAMES,
        "texts": read_yaml(ROOT / "site/tunnel-texts.yaml"),
        "configurations": configurations.templates(),
        "wireguard": {
            "window": wireguard.WINDOW,
            "configurations": configurations.wireguard_templates(),
        },
        "bits": wireguard.BITS,
        "encap": configurations.ENCAP_LINE,
        "dscp": configurations.DSCP_LINES,
        "exchanges": configurations.EXCHANGES,
        "ways": _WAYS,
    }
    # "</" would end the script.
    document = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    return str(_PAGE.data(document))
