"""How numbers, intervals, questions and studies are written."""

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from remeasure.bench.claims import published
from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis import texts
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.texts import (
    in_brief,
    in_words,
    interval_text,
    number_text,
    p_text,
    unbroken,
)

NAN = float("nan")


def test_text_of_numbers():
    assert number_text(0.1234) == "0.123"
    assert number_text(1234.5) == "1234"
    assert number_text(NAN) == "n/a"
    assert p_text(0.0004) == "<0.001"


def numbers_of(text: str) -> list[str]:
    return text.replace("[", "").replace("]", "").replace(",", "").split()


@given(
    st.floats(-1e3, 1e3), st.floats(1e-3, 1e6), st.floats(1, 1.5) | st.floats(1, 1e6), st.booleans()
)
def test_no_interval_prints_as_its_value(value, half, longer, up):
    below, above = (half, half * longer) if up else (half * longer, half)
    value, low, high = (value, value - below, value + above)
    text = interval_text(value, low, high)
    if " ± " in text:
        shown, half = map(float, text.split(" ± "))
        # Rounding of a float in the ninth digit is no claim.
        slack = 1e-6 * half + 2e-9 * abs(value)
        assert half > 0 and shown - half <= low + slack and high - slack <= shown + half, text
        return
    if text.startswith("at most"):
        assert high <= float(text.removeprefix("at most ")) * (1 + 1e-6)
        return
    shown, least, most = numbers_of(text)
    assert shown != least and shown != most, text
    assert float(least) <= float(shown) <= float(most)
    for number in (shown, least, most):
        assert not (number.startswith("-") and float(number) == 0), text
    decimals = {len(number.partition(".")[2]) for number in (shown, least, most) if number != "0"}
    assert len(decimals) == 1, text


@pytest.mark.parametrize(
    ("write", "value", "low", "high", "text"), cases(__file__, "numbers_with_intervals")
)
def test_a_number_has_the_decimals_that_the_half_width_allows(write, value, low, high, text):
    """By itself, with its interval, or in words."""
    if write == "interval_text":
        assert interval_text(value, low, high) == text
    else:
        assert getattr(texts, write)(Estimate(value, low, high, 5)) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("takes 105.9 [105.3, 106.5] ms", "takes 105.9~[105.3,~106.5]~ms"),
        ("95 % interval: 2.1 to 6.5 ms", "95~% interval: 2.1~to~6.5~ms"),
        ("0.5 [0.1, no end], 92.56 ± 0.02 Mbit/s", "0.5~[0.1,~no end], 92.56~±~0.02~Mbit/s"),
        ("of 12 sizes, in 3 steps, at 1 s", "of 12 sizes, in 3 steps, at 1~s"),
    ],
)
def test_a_number_its_interval_and_its_unit_stay_in_one_line(text, kept):
    assert unbroken(text).replace("\N{NO-BREAK SPACE}", "~") == kept


def test_a_question_in_words():
    fields = {"of": {"suite": "b"}, "to": {"suite": ["a", "c"]}, "over": "size", "reduce": "min"}
    question = Question(metric="rate", quantity="ratio", **fields, where={"load": "full"})
    assert in_words(question) == "ratio of rate, suite b to suite a/c, min over size; load full"
    assert in_words(Question(metric="rate", within="median")) == "rate (median within a trial)"


def test_the_tests_of_a_claim_are_told_apart_by_what_differs():
    small, large = ({"suite": "a", "size": size} for size in (1, 2))
    tests = [
        Question(quantity="ratio", metric="rate", of=small, to=large, where={"via": "tcp"}),
        Question(quantity="ratio", metric="rate", of=small, to=large, where={"via": "udp"}),
        Question(metric="rate", over="size", reduce="max", of=small, where={"via": "udp"}),
    ]
    assert in_brief(tests) == ["ratio tcp to 2", "ratio udp to 2", "max udp"]
    assert in_brief(tests[:2]) == ["tcp", "udp"]
    assert in_brief(tests[:1]) == [""]


@pytest.mark.parametrize(
    ("year", "cited"), [("year: 1999\n", "Nobody 1999"), ("", "Nobody (undated)")]
)
def test_a_study_is_cited_by_author_and_year(tmp_path, monkeypatch, year, cited):
    monkeypatch.setattr(published, "FOLDER", tmp_path)
    text = f"author: Nobody\n{year}reference: made up\nscenario: psk-rsa\n"
    (tmp_path / "made-up.yaml").write_text(text)
    assert published.cited_as("made-up") == cited
