"""A sentence of the paper lists its conditions, and is refused if the data disagree."""

import json
import subprocess
from pathlib import Path

import pytest
from cases import cases
from pdfminer.high_level import extract_text

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.texts import ends_text, estimate_text
from remeasure.paper.notebook.results import Results
from remeasure.paper.publish.paper_macros import read_numbers
from remeasure.paper.publish.prose.conditions import ConditionCheck, Quantities, answer
from remeasure.paper.publish.prose.states import Failed, as_macros, check_states

HOLDS = cases(__file__, "holds")
FAILS = cases(__file__, "fails")
REFUSED = cases(__file__, "refused")


def estimate(value: float, low: float, high: float) -> Estimate:
    found = Estimate(value, low, high, 5)
    return found.measured(f"made up {value}", "goodput", [{"auth": "psk"}], [1, 2])


@pytest.fixture(scope="module")
def handed(tmp_path_factory) -> list[Path]:
    results = Results(tmp_path_factory.mktemp("handed") / "psk_rsa")
    results.number("Ratio", estimate(1.3, 1.2, 1.4))
    results.number("Twice", estimate(2.5, 2.4, 2.6))
    results.words("Even", estimate_text(estimate(1.01, 0.99, 1.03)))
    results.words("Ends", ends_text(estimate(1.3, 1.2, 1.4)))
    results.words("Open", estimate_text(estimate(4, 3, float("inf"))))
    results.words("Below", estimate_text(estimate(4, float("-inf"), 5)))
    results.words("Five", "5", "made up")
    results.number("Nothing", Estimate(float("nan"), float("nan"), float("nan"), 0))
    results.count("None", 0, "counted")
    results.number("Pings", 400, 0, source="counted")
    results.words("Best", "aes128gcm16", "made up")
    results.close()
    test = {"quantity": "a ratio", "value": 1.4, "low": 1.2, "high": 1.6}
    entry = {"scenario": "psk-rsa", "tests": [test]}
    none = {"id": "pratama-loss-normal", "verdict": "no difference that matters", "size": "inside"}
    claims = [{"id": "pratama-ike-normal", "verdict": "confirmed", "size": "outside"}, none]
    claims.append(none | {"id": "pratama-tcp-up-normal", "tests": [test, test]})
    claims = [entry | claim for claim in claims]
    (results.folder / "claims.json").write_text(json.dumps(claims))
    return [results.folder]


def check(folder: Path, handed: list[Path], text: str, own: tuple[str, ...] = ()) -> list[Failed]:
    (folder / "section.tex").write_text(text)
    return check_states([folder / "section.tex"], handed, read_numbers(handed), own)


@pytest.mark.parametrize("conditions", HOLDS)
def test_a_sentence_that_the_data_show_passes(tmp_path, handed, conditions):
    assert check(tmp_path, handed, rf"\states{{{conditions}}}{{It is so.}}") == []


@pytest.mark.parametrize(("conditions", "found"), FAILS.items())
def test_a_sentence_that_the_data_do_not_show_is_refused(tmp_path, handed, conditions, found):
    text = f"Text.\n% \\states{{x}}\n\\states{{pskrsaRatio > 1;\n  {conditions}}}{{It is.}}"
    with pytest.raises(UserError, match=rf"section.tex:4: {conditions}: found: .*{found}") as error:
        check(tmp_path, handed, text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("conditions", "says"), REFUSED.items())
def test_what_is_no_condition_is_refused(tmp_path, handed, conditions, says):
    with pytest.raises(UserError, match=rf"section.tex:1: \\states: .*{says}"):
        check(tmp_path, handed, rf"\states{{{conditions}}}{{It is.}}")


def test_a_number_without_interval_equals_its_text_too():
    data = Quantities({"pskrsaRtt": {"text": "5 ms", "value": 5.0}}, {}, {"psk_rsa"})
    assert answer("pskrsaRtt = 5 ms", data).holds and answer("pskrsaRtt = 5.0", data).holds


def test_the_identifier_of_a_statement_is_known(tmp_path, handed):
    assert check(tmp_path, handed, r"It is \claim{pratama-ike-normal}.") == []
    # One of a scenario that was not built is known to its study.
    assert check(tmp_path, handed, r"It is \claim{faigl-chain-2-to-4-30pct}.") == []
    with pytest.raises(UserError, match=r"section.tex:2: \\claim: no statement 'pratama-ike'"):
        check(tmp_path, handed, "It is\n\\claim{pratama-ike}.")


def test_conditions_within_conditions_are_checked_too(tmp_path, handed):
    text = r"\states{pskrsaRatio > 1}{A. \measured{x}{\states{pskrsaRatio > 2}{B.}}}"
    with pytest.raises(UserError, match="pskrsaRatio > 2: found"):
        check(tmp_path, handed, text)
    with pytest.raises(UserError, match=r"\\states: a brace is not closed"):
        check(tmp_path, handed, r"\states{pskrsaRatio > 1}{A.")


def test_a_sentence_is_marked_for_data_of_a_reader(tmp_path, handed):
    other, unbuilt = "eapmethodsChain > pskrsaTwice", "faigl-chain-2-to-4-30pct is confirmed"
    text = rf"\states{{pskrsaRatio < 1}}{{A.}}\states{{{other}; {unbuilt}}}{{B.}}"
    first, *others = check(tmp_path, handed, text, own=("psk_rsa",))
    assert not first.answer.holds and "pskrsaRatio is 1.3" in first.answer.found
    assert [one.answer for one in others] == [
        ConditionCheck(other, False, "eapmethodsChain was not measured", ("pskrsaTwice",), False),
        ConditionCheck(unbuilt, False, f"{unbuilt.split()[0]} was not measured", (), False),
    ]
    with pytest.raises(UserError, match="pskrsaRatio < 1"):
        check(tmp_path, handed, text, own=("eap_methods",))


def test_a_marked_sentence_says_so_in_the_pdf(tmp_path, handed):
    """Conditions as LaTeX reads them, over several lines, are the ones found false."""
    text = "\\states{pskrsaRatio < 1;\n   pskrsaRatio ~> 2}{It is A.}\\states{pskrsaTwice > 1}{B.}"
    failed = check(tmp_path, handed, text, own=("psk_rsa",))
    document = (
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{hyperref}"
        f"\\input{{{ROOT}/paper/checked.tex}}\n{as_macros(failed)}\\begin{{document}}\n"
        "\\section{\\states{pskrsaTwice > 1}{Title}}"
        f"{text} \\claim{{pratama-ike-normal}}\n\\end{{document}}\n"
    )
    (tmp_path / "main.tex").write_text(document)
    latex = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "main.tex"]
    assert subprocess.run(latex, cwd=tmp_path, capture_output=True).returncode == 0
    shown = " ".join(extract_text(tmp_path / "main.pdf").split())
    assert "It is A. [Not so in these data: pskrsaRatio < 1: pskrsaRatio is 1.3" in shown
    assert "pskrsaRatio ~> 2: pskrsaRatio is 1.3" in shown
    assert "]B. pratama-ike-normal" in shown and shown.count("Not so") == 1
