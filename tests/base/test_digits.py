"""Released estimates have the same digits whatever processor computed them."""

import math

import altair as alt
import pandas as pd
import pytest

from remeasure.paper.digits import as_json, rounded, rounded_chart, rounded_columns


@pytest.mark.parametrize("value", [0.30694415743831074, 1e-300, -3.5e17, 2.0 / 3])
def test_what_differs_in_the_last_places_is_the_same(value):
    near = math.nextafter(math.nextafter(value, math.inf), math.inf)
    assert near != value
    assert rounded(near) == rounded(value)
    assert rounded(value) == pytest.approx(value, rel=1e-8)


def test_all_that_is_no_float_stays():
    table = pd.DataFrame({"n": [5], "value": [1.00000000049], "says": ["1.00000000049"]})
    expected = pd.DataFrame({"n": [5], "value": [1.0], "says": ["1.00000000049"]})
    pd.testing.assert_frame_equal(rounded_columns(table), expected)
    assert [rounded(one) for one in (None, 7, "x")] == [None, 7, "x"]
    assert math.isnan(rounded(math.nan)) and math.isinf(rounded(math.inf))


def test_a_document_has_the_same_bytes():
    third, near = 1 / 3, math.nextafter(1 / 3, 1)
    one, other = ({"a": [value, (1, None)], "b": {"c": "x"}} for value in (third, near))
    assert as_json(one) == as_json(other)
    assert as_json({"a": [third, 7]}) == '{"a": [0.333333333, 7]}\n'


def test_a_chart_has_the_same_bytes():
    """altair names a table after a hash of its values."""

    def specification(value: float) -> dict:
        bars = alt.Chart(pd.DataFrame({"value": [value, 2.0]})).mark_bar().encode(x="value:Q")
        rule = alt.Chart(pd.DataFrame({"value": [value]})).mark_rule().encode(x="value:Q")
        return alt.layer(bars, rule).to_dict()

    one, other = specification(1 / 3), specification(math.nextafter(1 / 3, 1))
    assert one != other
    assert rounded_chart(one) == rounded_chart(other)
    names = [layer["data"]["name"] for layer in rounded_chart(one)["layer"]]
    assert names == ["table-1", "table-2"]
    assert rounded_chart(one)["datasets"]["table-2"] == [{"value": 0.333333333}]
