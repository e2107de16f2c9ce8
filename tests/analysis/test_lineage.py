"""The sources of estimates, and texts made of them."""

from made_up_study import PSK, RATIO, RSA, summaries

from remeasure.bench.base.names import VIRTUAL
from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.estimates import Estimate, cell_estimates
from remeasure.paper.analysis.evaluation import evaluate
from remeasure.paper.analysis.lineage import CAMPAIGN, SCENARIO, joined_text
from remeasure.paper.analysis.texts import estimate_text


def estimate(**attributes) -> Estimate:
    """An estimate of the made-up study."""
    table = summaries(PSK, RSA)
    table.attrs |= attributes
    return evaluate(Question(**RATIO), table, {})


def test_an_estimate_is_of_the_cells_that_it_used():
    found = estimate()
    origin = found.origin
    assert origin.metric == "goodput" and (origin.value, origin.n) == (found.value, found.n)
    assert origin.blocks == (0, 1, 2, 3, 4)
    assert [dict(cell) for cell in origin.cells] == [
        {"auth": auth, "probe": "tcp"} for auth in ("psk", "rsa")
    ]
    assert estimate_text(found).origins == (origin,)


def test_an_estimate_tells_of_trials_that_are_not_the_notebooks_own():
    entry = estimate(**{VIRTUAL: True, SCENARIO: "psk-rsa", CAMPAIGN: "lab"}).origin.as_dict()
    assert (entry["virtual"], entry["scenario"], entry["campaign"]) == (True, "psk-rsa", "lab")
    assert not {"virtual", "scenario", "campaign"} & set(estimate().origin.as_dict())


def test_each_cell_has_the_origin_of_its_own_estimate():
    cells = cell_estimates(summaries(PSK, PSK), ["auth"])
    assert len(cells) == 2 and cells["value"].nunique() == 1
    for row in cells.itertuples():
        (cell,) = Estimate.of_row(row).origin.cells
        assert dict(cell)["auth"] == row.auth


def test_what_is_computed_names_all_that_it_is_computed_from():
    first, second = estimate(), estimate(**{VIRTUAL: True})
    found = Estimate(1.0, 0.5, 1.5, 5).computed("real less virtual", [first, second, first])
    assert found.origin.made_from == (first.origin, second.origin)
    assert found.origin.says == "real less virtual" and not found.origin.cells
    assert Estimate(1.0, 0.5, 1.5, 5).computed("of nothing", [Estimate(1, 1, 1, 1)]).origin is None


def test_texts_keep_their_origins():
    text = estimate_text(estimate())
    assert text.within("{} *") == f"{text} *" and text.within("{} *").origins == text.origins
    two = joined_text("; ", [text, "none", text.within("tcp: {}")])
    assert two == f"{text}; none; tcp: {text}" and two.origins == text.origins
