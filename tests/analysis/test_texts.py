"""How numbers, intervals, questions and studies are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remeasure.bench.claims import published
from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.texts import (
    ends_text,
    in_brief,
    in_words,
    interval_text,
    loss_in_words,
    number_text,
    p_text,
    ratio_in_words,
    unbroken,
    value_text,
)

NAN, INF = float("nan"), float("inf")


def test_text_of_numbers():
    assert number_text(0.1234) == "0.123"
    assert number_text(1234.5) == "1234"
    assert number_text(NAN) == "n/a"
    assert p_text(0.0004) == "<0.001"


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (1.00002, 0.99998, 1.00007, "1.00002 ± 0.00005"),
        (1.00040, 1.00002, 1.00078, "1.00040 [1.00002, 1.00078]"),
        (93.2034, 93.1987, 93.2081, "93.203 [93.199, 93.208]"),
        (73.9, 4.56, 1196.0, "74 [5, 1200]"),
        (678.3, 109.0, 4228.0, "680 [110, 4200]"),
        (1.5, 0.7, 15.4, "1.5 [0.7, 15.4]"),
        (87.04, 74.2, 102.1, "87 [74, 102]"),
        (4.31, 2.09, 6.52, "4.3 [2.1, 6.5]"),
        (-250.0031, -250.0081, -249.9982, "-250.003 ± 0.006"),
        (2.73, 0.0, INF, "2.7 [0, no end]"),
        (22.63, -0.47, 45.79, "22.6 [-0.5, 45.8]"),
        (1.036, 1.004, 1.069, "1.036 [1.004, 1.069]"),
        (10.36, 1.004, 19.7, "10 [1, 20]"),
        (0.0002, 0.0000004, 0.00037, "at most 0.0005"),
        (0.0, 0.0, 0.246, "0.00 [0, 0.25]"),
        (6.0, 6.0, 6.0, "6"),
        (5.5333, 5.5333, 5.5333, "5.53"),
        (NAN, NAN, NAN, "n/a"),
    ],
)
def test_an_interval_and_its_value_have_the_decimals_that_the_half_width_allows(
    value, low, high, text
):
    assert interval_text(value, low, high) == text


def numbers_of(text: str) -> list[str]:
    return text.replace("[", "").replace("]", "").replace(",", "").split()


@given(
    st.floats(-1e3, 1e3),
    st.floats(1e-3, 1e6),
    st.floats(1, 1.5) | st.floats(1, 1e6),
    st.booleans(),
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
    ("write", "value", "low", "high", "text"),
    [
        (ratio_in_words, 1.00002, 0.99998, 1.00007, "equal to within 0.01 %"),
        (ratio_in_words, 1.001, 0.997, 1.004, "equal to within 0.5 %"),
        (ratio_in_words, 1.0, 1.0, 1.0, "equal"),
        (ratio_in_words, 1.0, 0.9999999, 1.0000002, "equal to within 0.0001 %"),
        (ratio_in_words, 1.005, 1.002, 1.008, "at a ratio of 1.005 [1.002, 1.008]"),
        (ratio_in_words, 0.95, 0.90, 1.01, "at a ratio of 0.95 [0.90, 1.01]"),
        (ratio_in_words, 0.5, NAN, NAN, "at a ratio of 0.500"),
        (loss_in_words, 0.0, 0.0, 0.1223, "none lost (at most 0.2 %)"),
        (loss_in_words, 0.0, NAN, NAN, "none lost"),
        (loss_in_words, 1.02, 0.81, 1.23, "1.02 [0.81, 1.23] % lost"),
        (value_text, 4.312, 2.087, 6.537, "4.3"),
        (value_text, 73.9, 4.56, 1196.0, "74"),
        (value_text, 92.557, 92.5532, 92.5608, "92.56"),  # four digits at most
        (value_text, 16422.4, 16422.1, 16422.7, "16422"),
        (ends_text, 4.312, 2.087, 6.537, "2.1 to 6.5"),
        (ends_text, 678.3, 109.0, 4228.0, "110 to 4200"),
        (ends_text, 4.0, 4.0, 4.0, "exactly 4"),
        (ends_text, 4.0, NAN, NAN, "n/a"),
    ],
)
def test_a_ratio_a_loss_a_value_and_the_ends_of_an_interval(write, value, low, high, text):
    assert write(Estimate(value, low, high, 5)) == text


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
