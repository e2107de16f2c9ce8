"""A chart as an SVG."""

import hashlib
import re
from typing import Any

_CLIP = re.compile(r'(?<=id=")clip\d+(?=")|(?<=url\(#)clip\d+(?=\))')


def svg_of(specification: dict[str, Any]) -> str:
    """The picture of a Vega-Lite specification. The same specification gives the same bytes. The
    ids of its parts are unique, so one page can show many pictures. Raises ValueError if Vega
    cannot draw the specification."""
    import vl_convert  # here, since it starts threads and takes memory

    return _named(vl_convert.vegalite_to_svg(specification))


def _named(svg: str) -> str:
    """The picture with its clips named after what it shows, from 1."""
    numbers: dict[str, int] = {}
    plain = _CLIP.sub(lambda m: f"clip{numbers.setdefault(m[0], len(numbers) + 1)}", svg)
    own = hashlib.sha256(plain.encode()).hexdigest()[:8]
    return _CLIP.sub(lambda m: m[0].replace("clip", f"clip-{own}-"), plain)
