"""The claims of the studies, against the scenarios that are to answer them; and their number."""

import re

import pytest

from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.claims_answerable import check_asked
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.claims.published import FOLDER, load_published, studies

ASKED = [(study, scenario) for study in studies() for scenario in load_published(study).scenarios]
NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
COUNT = re.compile(
    rf"\b({'|'.join(NUMBERS)})\s+(?:(?:published|IPsec|performance)\s+)*studies\b", re.IGNORECASE
)
TEXTS = [
    *("README.md", "pyproject.toml", "config/publication.yaml", "paper/**/*.tex", "paper/refs.bib"),
    *("site/*.md", "notebooks/*/*.ipynb", "workflow/remeasure/__init__.py"),
]


@pytest.mark.parametrize(("study", "name"), ASKED)
def test_every_claim_asks_of_cells_that_are_measured(study, name):
    """Under the paper's profile every level that a claim names is one of its scenario."""
    published = load_published(study).asked_of(name)
    scenario = load_scenario(name, "paper")
    check_asked(published, scenario, str(FOLDER / f"{study}.yaml"))
    levels = {factor: set(of) for factor, of in scenario.design.factors.items()}
    for name, probe in scenario.settings(scenario.cells[0]).probes.items():
        levels.setdefault("probe", set()).add(name.split(".")[0])
        for factor, level in probe.levels.items():
            levels.setdefault(factor, set()).add(level)
    for claim in published.claims:
        for test in (*claim.tests, *claim.primary):
            assert (test.among is None) == (test.quantity not in ("lead", "trail")), claim.id
            chosen = (test.where, test.of, test.to, test.base)
            for factor, wanted in [item for levels_ in chosen for item in levels_.items()]:
                wanted = published.groups.get(factor, {}).get(str(wanted), wanted)
                wanted = wanted if isinstance(wanted, list) else [wanted]
                assert {str(w) for w in wanted} <= levels[factor], (claim.id, factor)


@pytest.mark.parametrize("pattern", TEXTS)
def test_texts_say_how_many_studies_there_are(pattern):
    found = {(path, m) for path in ROOT.glob(pattern) for m in COUNT.findall(path.read_text())}
    right = NUMBERS[len(studies()) - 1]
    wrong = [f"{path}: {number} studies" for path, number in found if number.lower() != right]
    assert wrong == [], f"data/published has {right}"
