"""Our own predictions: registered like claims of studies, judged like them, and counted nowhere."""

import pytest
from IPython.display import Markdown
from test_statements import FASTER, OPEN, claims, stated, trial_values

from remeasure.bench.campaign import folder
from remeasure.bench.campaign.build import read_build
from remeasure.bench.campaign.register import register
from remeasure.bench.claims.published import OURS, load_published, studies, with_ours
from remeasure.bench.claims.rules import PRESENT, RULES
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.texts import estimate_text
from remeasure.paper.analysis.verdicts.answers import answer
from remeasure.paper.analysis.verdicts.ledger import counted, counts, of_studies
from remeasure.paper.analysis.verdicts.readable import BenchFacts
from remeasure.paper.analysis.verdicts.sensitivity import of_estimators
from remeasure.paper.notebook.ledger_tables import released_ledger
from remeasure.paper.notebook.scenario_notebook import NOT_REGISTERED, ScenarioNotebook
from remeasure.paper.publish.planning.opened import opened
from remeasure.paper.publish.site.ledger_page import ledger_texts

SCENARIO, CLAIM = "nat-t", "ours-udp-encapsulation"


def test_they_are_registered_and_no_study():
    assert OURS not in studies() and with_ours()[-1] == OURS
    asked = {
        (scenario, claim.id)
        for scenario in load_published(OURS).scenarios
        for claim in load_published(OURS).asked_of(scenario).claims
    }
    assert len(asked) == len(load_published(OURS).claims)
    for scenario, claim in asked:
        assert claim in register(scenario)


def test_each_is_a_question_with_bounds():
    """Nobody judges a prediction without one."""
    for claim in load_published(OURS).claims:
        assert claim.tests and all(test.expect for test in claim.tests), claim.id


@pytest.mark.slow
@pytest.mark.parametrize("scenario", load_published(OURS).scenarios)
def test_reasons_give_the_estimates_of_released_trials(scenario):
    study = load_published(OURS).asked_of(scenario)
    if scenario not in read_build().campaigns:
        return
    notebook = opened(scenario)
    tables = notebook.tables
    both = of_estimators(tables["observations"], tables.factors, notebook.predicted)
    found = answer(study, both, rules=RULES[PRESENT]).itertuples()
    questions = [test for claim in study.claims for test in claim.tests]
    for test, row in zip(questions, found, strict=True):
        because = test.because.lower()
        if "released: " in because:
            assert f"released: {estimate_text(Estimate.of_row(row))}".lower() in because


def test_they_are_judged_and_not_counted(tmp_path):
    own = claims(OURS, {"tests": [{**OPEN, **FASTER}]}, {"tests": [{**OPEN, **FASTER}]})
    other = claims("own", *[{"tests": [{**OPEN, **FASTER}]}] * 4)
    both = [other, own], trial_values(), ["link", "auth"], {}, BenchFacts()
    found, _ = stated(tmp_path, *both)
    predicted = [entry for entry in found.entries if entry["study"] == OURS]
    assert [entry["verdict"] for entry in predicted] == ["confirmed"] * 2
    assert {entry["study"] for entry in counted(found.entries)} == {"own"}
    assert len(of_studies(found.entries)) == 4
    assert counts(of_studies(found.entries)).loc["all", "not counted"] == 0


@pytest.fixture
def notebook(tmp_path):
    found = ScenarioNotebook(f"data/tidy/{SCENARIO}", [], tmp_path / "nat_t")
    found.summarise("mean", found.per_packet(found.scenario.topology.gateways))
    return found


def test_a_campaign_that_began_before_them_judges_none(notebook):
    shown = notebook.predictions()
    assert isinstance(shown, Markdown) and shown.data == NOT_REGISTERED
    assert OURS not in {entry["study"] for entry in released_ledger()}


def test_a_campaign_that_registered_them_judges_them(notebook, monkeypatch):
    """Here a released one, whose register is made up."""
    hashes = {SCENARIO: register(SCENARIO)}
    stood = dict.fromkeys(hashes[SCENARIO], "before")
    load = folder.load_frozen
    monkeypatch.setattr(
        folder, "load_frozen", lambda path: load(path).model_copy(update={"registered": hashes})
    )
    monkeypatch.setattr(folder, "rules_of", lambda campaign: RULES[2])
    monkeypatch.setattr(folder, "stood_before", lambda campaign, scenario: stood)
    (row,) = notebook.predictions().to_dict("records")
    assert row["verdict"] == "confirmed" and row["statement"].startswith("Encapsulation of ESP")


def test_the_site_shows_bound_and_verdict_and_counts_none():
    released = released_ledger()
    page = ledger_texts(released)["ledgerPredictions"]
    assert page.count("<tr ") == len(load_published(OURS).claims)
    assert "0.95 to 1.05" in page and "&lt; 1, from 1.05 on" in page and "opposite" not in page
    judged = {**released[0], "id": CLAIM, "study": OURS, "uncounted": "our own prediction"}
    every = [*released, judged | {"verdict": "opposite", "reason": "", "parts": ""}]
    texts = ledger_texts(every)
    assert "opposite" in texts["ledgerPredictions"] and CLAIM not in texts["ledgerTable"]
    assert texts["ledgerRows"] == str(len(released))
