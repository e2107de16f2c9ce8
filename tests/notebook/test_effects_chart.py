"""The chart of effects on the first page and in the README."""

import pandas as pd

from remeasure.paper.analysis.verdicts.ledger import effects
from remeasure.paper.notebook.charts.effects_chart import SHAPES, THEIRS, effects_chart
from remeasure.paper.notebook.charts.figures import DIRECTION_ONLY
from remeasure.paper.notebook.trace.marks import drawn_rows

ROW = {"study": "pratama", "says": "x", "brief": "", "verdict": "confirmed", "size": "inside"}
ROW |= {"ratio": 1.4, "ratio_low": 1.2, "ratio_high": 1.6, "published": 2.1}
TABLE = pd.DataFrame([ROW | {"row": "one"}, ROW | {"row": "two", "study": "sokol"}])
NAMES = {"sokol-two": "ESP over AH", "pratama-one": "RSA over PSK"}


def test_studies_are_named_as_readers_know_them():
    chart = effects_chart(TABLE, NAMES, width=400).to_dict()
    rows = [row for table in chart["datasets"].values() for row in table]
    assert [row["_study"] for row in rows if "_study" in row] == ["Sokol 2011", "Pratama 2025"]
    assert [row["name"] for row in drawn_rows(chart)] == list(NAMES.values())


def test_a_key_tells_verdicts_and_published_ratios_apart_by_shape():
    chart = effects_chart(TABLE.assign(size=["outside", "near"]), NAMES, width=400).to_dict()
    shapes = [one["encoding"]["shape"] for one in chart["layer"] if "shape" in one["encoding"]]
    assert len(shapes) == 2
    for one in shapes:
        assert one["scale"]["domain"] == ["confirmed", DIRECTION_ONLY, THEIRS]
        assert one["scale"]["range"] == [SHAPES[kind] for kind in one["scale"]["domain"]]
    assert len(set(SHAPES.values())) == len(SHAPES)


def test_a_confirmed_statement_whose_number_lies_outside_has_a_colour_of_its_own():
    """Confirmed is that it is more, not how much more."""
    table = TABLE.assign(size=["outside", "near"])
    chart = effects_chart(table, NAMES, width=400).to_dict()
    assert [row["verdict"] for row in drawn_rows(chart)] == ["confirmed", DIRECTION_ONLY]
    colors = [
        one["encoding"]["color"]["scale"] for one in chart["layer"] if "color" in one["encoding"]
    ]
    assert all(len(set(scale["range"])) == 3 for scale in colors)


def test_what_has_no_name_or_no_interval_is_left_out():
    few = effects_chart(TABLE, {"pratama-one": "RSA over PSK"}, width=400).to_dict()
    assert len(drawn_rows(few)) == 1
    none = effects_chart(effects([]), NAMES, width=400).to_dict()
    assert "too few blocks" in str(none["datasets"])
