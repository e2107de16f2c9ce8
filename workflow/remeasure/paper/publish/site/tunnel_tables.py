"""The tables of My tunnel (HTML without blank lines, which would end it in Markdown)."""

from collections.abc import Mapping
from typing import Any

from remeasure.paper.publish.tunnel.configurations import EXCHANGES

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
