"""The claims of the studies, against the scenarios that are to answer them; and their number."""

import re

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.register import check_asked
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.claims.published import FOLDER, load_published, studies, with_ours

ASKED = [(study, scenario) for study in with_ours() for scenario in load_published(study).scenarios]
NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
ORDINALS = {"five": "fifth", "eight": "eighth", "nine": "ninth"}
COUNT = re.compile(
    rf"\b({'|'.join(NUMBERS)})\s+(?:(?:published|IPsec|performance)\s+)*studies\b", re.IGNORECASE
)
TEXTS = [
    *("README.md", "pyproject.toml", "CITATION.cff", "paper/**/*.tex", "paper/refs.bib"),
    *("site/*.md", "notebooks/*/*.ipynb", "workflow/remeasure/__init__.py"),
]


@pytest.mark.parametrize(("study", "name"), ASKED)
def test_every_claim_asks_of_cells_that_are_measured(study, name):
    """Under the paper's profile every level in a claim is one of its scenario's."""
    published = load_published(study).asked_of(name)
    check_asked(published, load_scenario(name, "paper"), str(FOLDER / f"{study}.yaml"))
    for claim in published.claims:
        for test in (*claim.tests, *claim.primary):
            assert (test.among is None) == (test.quantity not in ("lead", "trail")), claim.id


def test_a_size_that_no_trial_has_is_refused_before_measuring(monkeypatch):
    """It is a factor within trials, of which the shortest profile has too few levels to tell."""
    study = load_published("weerawarna").asked_of("algorithm-sweep")
    monkeypatch.setitem(study.groups["payload"], "small", [65])
    check_asked(study, load_scenario("algorithm-sweep", "smoke"), "w.yaml")
    with pytest.raises(UserError, match="w.yaml: claim .*payload: no level 65; known: 1024"):
        check_asked(study, load_scenario("algorithm-sweep", "quick"), "w.yaml")


@pytest.mark.parametrize("pattern", TEXTS)
def test_texts_say_how_many_studies_there_are(pattern):
    """Four may be measured again, and a fifth audited."""
    right, fewer = (NUMBERS[len(studies()) - place] for place in (1, 2))
    last = ORDINALS.get(right, f"{right}th")
    for path in ROOT.glob(pattern):
        text = path.read_text()
        allowed = {right, fewer} if re.search(rf"\b{last}\b", text, re.IGNORECASE) else {right}
        wrong = {number.lower() for number in COUNT.findall(text)} - allowed
        assert not wrong, f"{path}: found {wrong} studies; data/published has {right}"
