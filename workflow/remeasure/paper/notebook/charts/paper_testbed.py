"""The paper's picture of the testbed, as SVG at the size at which it is printed.

The upper row is topology site-to-site, the lower one host-to-host, aaa, and host-to-host with SAs
of each processor. All lengths are in points.
"""

from remeasure.paper.notebook.charts.theme import FONT, GREY, PAGE, PALETTE

HEIGHT = 124
_ESP, _RATE, _NETEM, _CAPTURE = PALETTE[0], PALETTE[1], PALETTE[3], PALETTE[2]
_UPPER, _BUS, _LOWER = 20, 58, 71
"""where the upper row, the control network and the lower row begin"""
_BOX = 24
"""height of a guest"""


def testbed_picture() -> str:
    """Guests, their links, where links are shaped and captured, and how the runner reaches them."""
    parts = [_surroundings(), _two_sites(), _two_hosts(), _authentication(), _processors(), _key()]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{PAGE}" height="{HEIGHT}" '
        f'viewBox="0 0 {PAGE} {HEIGHT}" font-family="{FONT}" font-size="7.5">'
        f"{''.join(parts)}</svg>"
    )


def _surroundings() -> str:
    """The job, the runner, and the control network to its guests."""
    dots = 'stroke-width="0.7" stroke-dasharray="1.5 1.5"'
    return (
        f'<rect x="1" y="1" width="{PAGE - 2}" height="107" rx="4" fill="#f5f5f5" '
        f'stroke="{GREY}" stroke-width="0.7" stroke-dasharray="3 2"/>'
        + _guest(9, _BUS - 14, 46, "runner", 28)
        + f'<path d="M55 {_BUS}H493" stroke="{GREY}" {dots}/>'
        + _text(72, _BUS - 3, "SSH, control network", GREY)
        + _text(9, 11, "namespaces of one job; nothing leaves them", GREY)
    )


def _two_sites() -> str:
    """Clients behind gateways; the pair of a site shares a core."""
    y = _UPPER + _BOX / 2
    cores = "".join(
        f'<rect x="{x}" y="{_UPPER - 4}" width="146" height="{_BOX + 8}" rx="3" fill="#e6e6e6"/>'
        + _text(x + 73, _UPPER + _BOX + 2.5, name, GREY, "middle")
        for x, name in ((156, "core 0"), (368, "core 1"))
    )
    return (
        cores
        + _link(206, 250, y)
        + _tunnel(298, 372, y)
        + _link(420, 464, y)
        + _control([183, 274, 396, 487], upper=True)
        + _guest(160, _UPPER, 46, "client")
        + _guest(250, _UPPER, 48, "gateway")
        + _guest(372, _UPPER, 48, "gateway")
        + _guest(464, _UPPER, 46, "client")
        + _rate(304, y)
        + _netem(314, y)
        + _capture(324, y)
        + _rate(366, y)
        + _text(335, y - 6, "ESP tunnel", _ESP, "middle")
    )


def _two_hosts() -> str:
    y = _LOWER + _BOX / 2
    return (
        _tunnel(104, 144, y)
        + _control([87, 161])
        + _guest(70, _LOWER, 34, "host")
        + _guest(144, _LOWER, 34, "host")
        + _rate(110, y)
        + _rate(138, y)
        + _text(124, _LOWER + _BOX + 9, "AH or ESP, suites", GREY, "middle")
    )


def _authentication() -> str:
    y = _LOWER + _BOX / 2
    return (
        _tunnel(238, 282, y)
        + _link(324, 356, y)
        + _control([218, 303, 372])
        + _guest(198, _LOWER, 40, "initiator")
        + _guest(282, _LOWER, 42, "responder")
        + _guest(356, _LOWER, 32, "AAA")
        + _netem(244, y)
        + _capture(254, y)
        + _netem(276, y)
        + _capture(332, y)
        + _text(293, _LOWER + _BOX + 9, "EAP and certificates over a distance", GREY, "middle")
    )


def _processors() -> str:
    y = _LOWER + _BOX / 2
    lines = "".join(_tunnel(442, 476, y + offset, 1) for offset in (-6, -2, 2, 6))
    return (
        lines
        + _control([425, 493])
        + _guest(408, _LOWER, 34, "host")
        + _guest(476, _LOWER, 34, "host")
        + _text(459, _LOWER + _BOX + 9, "one SA a processor", GREY, "middle")
    )


def _key() -> str:
    y = HEIGHT - 5
    marks = (
        (9, _rate(12, y - 2.5), "rate (tc)"),
        (62, _netem(65, y - 2.5), "netem: delay, jitter, loss"),
        (172, _capture(175, y - 2.5), "capture"),
        (222, _tunnel(222, 234, y - 2.5), "AH or ESP"),
    )
    shift = {222: 16}
    boxes = _guest(292, y - 8, 12, "", 9) + _text(
        308, y, "guest: a Linux kernel as a process, with its own network stack"
    )
    return "".join(mark + _text(x + shift.get(x, 9), y, says) for x, mark, says in marks) + boxes


def _guest(x: float, y: float, width: float, name: str, height: float = _BOX) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="2" fill="white" '
        f'stroke="black" stroke-width="0.8"/>'
        + (_text(x + width / 2, y + height / 2 + 2.7, name, "black", "middle") if name else "")
    )


def _text(x: float, y: float, says: str, color: str = "black", anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" fill="{color}" text-anchor="{anchor}">{says}</text>'


def _link(x: float, to: float, y: float) -> str:
    return f'<path d="M{x} {y}H{to}" stroke="black" stroke-width="0.9"/>'


def _tunnel(x: float, to: float, y: float, width: float = 2.2) -> str:
    return f'<path d="M{x} {y}H{to}" stroke="{_ESP}" stroke-width="{width}"/>'


def _control(places: list[float], upper: bool = False) -> str:
    """What leads from the control network to guests whose middles are at `places`."""
    end = _UPPER + _BOX if upper else _LOWER
    return "".join(
        f'<path d="M{x} {_BUS}V{end}" stroke="{GREY}" stroke-width="0.7" '
        f'stroke-dasharray="1.5 1.5"/>'
        for x in places
    )


def _rate(x: float, y: float) -> str:
    return _mark(f"M{x - 3.2} {y - 3.2}h6.4v6.4h-6.4z", _RATE)


def _netem(x: float, y: float) -> str:
    return _mark(f"M{x} {y - 4.2}l4.2 4.2l-4.2 4.2l-4.2 -4.2z", _NETEM)


def _capture(x: float, y: float) -> str:
    return _mark(f"M{x - 3.4} {y}a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0z", _CAPTURE)


def _mark(path: str, color: str) -> str:
    return f'<path d="{path}" fill="{color}" stroke="white" stroke-width="0.7"/>'
