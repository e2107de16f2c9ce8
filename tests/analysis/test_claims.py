"""The claims of the studies, against the scenarios that are to answer them."""

import pytest

from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.claims.published import load_published, studies

ASKED = [(study, scenario) for study in studies() for scenario in load_published(study).scenarios]


@pytest.mark.parametrize(("study", "name"), ASKED)
def test_every_claim_asks_of_cells_that_are_measured(study, name):
    """Under the paper's profile every level that a claim names is one of its scenario."""
    published = load_published(study).asked_of(name)
    scenario = load_scenario(name, "paper")
    levels = {factor: set(of) for factor, of in scenario.design.factors.items()}
    for name, probe in scenario.settings(scenario.cells[0]).probes.items():
        levels.setdefault("probe", set()).add(name.split(".")[0])
        for factor, level in probe.levels.items():
            levels.setdefault(factor, set()).add(level)
    for claim in published.claims:
        for test in (*claim.tests, *claim.primary):
            assert test.probe in {None, *levels["probe"]}, claim.id
            assert {test.over, test.among} <= {None, "cells", *levels}, claim.id
            assert (test.among is None) == (test.quantity not in ("lead", "trail")), claim.id
            chosen = (test.where, test.of, test.to, test.base)
            for factor, wanted in [item for levels_ in chosen for item in levels_.items()]:
                wanted = published.groups.get(factor, {}).get(str(wanted), wanted)
                wanted = wanted if isinstance(wanted, list) else [wanted]
                assert {str(w) for w in wanted} <= levels[factor], (claim.id, factor)
