"""The small picture next to each value of the ledger."""

import re

from remeasure.paper.publish.site.interval_plot import interval_plot

TEST = {"value": 1.3, "low": 1.15, "high": 1.5, "study": 2.0, "expect": "> 1", "matters": 1.1}
TEST |= {"as_ratio": True, "unit": ""}


def places(svg: str) -> dict[str, float]:
    """Horizontal places of the marks of a picture."""
    band = re.search(r'<rect class="(\w+)" x="(\d+)" y="1" width="(\d+)"', svg)
    line = re.search(r'<path class="ours" d="M(\d+) 10H(\d+)"', svg)
    found = {"kind": band[1], "least": int(band[2]), "most": int(band[2]) + int(band[3])}
    found |= {"low": int(line[1]), "high": int(line[2])}
    found["value"] = int(re.search(r'<circle class="ours" cx="(\d+)"', svg)[1])
    for name, pattern in (("none", r'"none" d="M(\d+) '), ("study", r'"theirs" d="m(\d+) ')):
        if match := re.search(pattern, svg):
            found[name] = int(match[1])
    return found


def test_marks_stand_in_the_order_of_their_numbers():
    at = places(interval_plot(TEST))
    order = [at[name] for name in ("least", "none", "most", "low", "value", "high", "study")]
    assert order == sorted(order) and len(set(order)) == len(order)
    assert at["kind"] == "band"
    assert abs(at["none"] - at["least"] - (at["most"] - at["none"])) <= 1


def test_a_statement_of_bounds_shows_what_it_allows():
    at = places(interval_plot(TEST | {"expect": "0.9 to 1.2", "matters": None, "study": None}))
    assert at["kind"] == "bounds" and at["least"] < at["low"] < at["most"] < at["high"]
    assert "none" not in at and "study" not in at
