"""A chart as an SVG."""

import hashlib
import json
import re
import socket
from typing import Any

from remeasure.paper.servers import CHARTS, socket_of

_CLIP = re.compile(r'(?<=id=")clip\d+(?=")|(?<=url\(#)clip\d+(?=\))')


def svg_of(specification: dict[str, Any]) -> str:
    """The picture of a Vega-Lite specification. The same specification gives the same bytes, and
    the names of its parts are its own, so that a page can hold many. Raises ValueError for what is
    no chart."""
    path = socket_of(CHARTS)
    return _named(drawn(specification) if path is None else _asked(path, specification))


def drawn(specification: dict[str, Any]) -> str:
    """The picture as it is drawn in this process, with parts named after how many it drew before.
    Raises ValueError for what is no chart."""
    import vl_convert  # where it is needed: it takes memory, and its engine starts threads

    return vl_convert.vegalite_to_svg(specification)


def _asked(path: str, specification: dict[str, Any]) -> str:
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        server.sendall(json.dumps(specification).encode())
        server.shutdown(socket.SHUT_WR)
        with server.makefile("rb") as told:
            answer = json.loads(told.read())
    if "error" in answer:
        raise ValueError(answer["error"])
    svg: str = answer["svg"]
    return svg


def _named(svg: str) -> str:
    """The picture with its clips named after what it shows, from 1."""
    numbers: dict[str, int] = {}
    plain = _CLIP.sub(lambda m: f"clip{numbers.setdefault(m[0], len(numbers) + 1)}", svg)
    own = hashlib.sha256(plain.encode()).hexdigest()[:8]
    return _CLIP.sub(lambda m: m[0].replace("clip", f"clip-{own}-"), plain)
