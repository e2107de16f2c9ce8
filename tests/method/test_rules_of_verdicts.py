"""Whether intervals and verdicts keep their promises, for every kind of question, on campaigns of
known truth with the noise of released trials. The full size is in the notebook `calibration`.
tests/fixtures/trials/values.csv has the released values of these trials: one value per cell and
block, with five digits."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from simulated_cases import BEYOND, CASES, DES, EVERY_SIZE, FAR, TRIPLE
from simulation import Truth, line, simulate

from remeasure.paper.analysis.decisions import CONFIRMED, NO_DIFFERENCE, OPPOSITE

CAMPAIGNS = 1500
WIDE = ("variation", "lead over rivals")
"""kinds whose intervals are wider than they need to be, as the notebook reports"""


@pytest.fixture(scope="module")
def summaries(request) -> dict[str, pd.DataFrame]:
    """Trial summaries (see summaries.py) of each scenario."""
    table = pd.read_csv(request.config.rootpath / "tests/fixtures/trials/values.csv")
    rows: dict[str, list] = {}
    for row in table.itertuples():
        cell = dict(level.split("=") for level in row.cell.split(";"))
        fields = {"probe": row.probe, "metric": row.metric, "unit": row.unit} | cell
        for block, value in enumerate(row.values.split(), 1):
            if value != "-":
                of_trial = {"block": block, "trial": 1, "value": float(value)}
                rows.setdefault(row.scenario, []).append(fields | of_trial)
    return {scenario: pd.DataFrame(of_it).fillna("") for scenario, of_it in rows.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}: {case.says}")
def test_intervals_hold_and_false_verdicts_are_rare(case, summaries):
    campaigns = 400 if case.hole else CAMPAIGNS
    found = simulate(case, case.noise(summaries), seed=1, campaigns=campaigns)
    enough = found[found["blocks"] > 3]
    margin = 3 * np.sqrt(0.05 * 0.95 / campaigns)
    assert enough["held"].min() >= 0.93 - margin
    assert enough["held"].max() <= (1 if case.kind in WIDE else 0.97 + margin)
    assert enough["false"].max() <= 0.05
    assert enough["any false"].max() <= 0.05 + margin


@pytest.mark.parametrize(
    ("test", "suites"),
    [
        ({"of": {"suite": DES}, "to": {"suite": TRIPLE}, "matters": 1.05}, 1),
        ({**EVERY_SIZE, "expect": "> 1"}, FAR),
    ],
)
def test_sizes_that_a_suite_lacks_make_no_false_verdict(test, suites, summaries):
    """3DES has no trials of large packets, whose rates are higher: suites do not differ, or by far
    at every size that both have."""
    case = next(case for case in CASES if case.kind == "smallest of several")
    test = {"quantity": "ratio", "metric": "goodput", "expect": "> 1", **test}
    rising = line("payload", 0.05)
    truth = Truth(
        "",
        lambda cells, of: rising(cells, of) * np.where(cells["suite"].isin(DES), suites, 1),
        (CONFIRMED, NO_DIFFERENCE) if suites > 1 else (CONFIRMED, OPPOSITE),
    )
    noise = case.noise(summaries)
    large, triple = noise.cells["payload"].astype(int) > 768, noise.cells["suite"].isin(TRIPLE)
    asked = replace(case, tests=[test], truths=[truth])
    found = simulate(asked, noise.only((~(large & triple)).to_numpy()), seed=1, campaigns=CAMPAIGNS)
    assert found["false"].max() <= 0.05
    assert found.loc[found["blocks"] > 3, "held"].min() >= 0.93


def test_a_real_effect_is_found(summaries):
    """A rule that never decides would have no false verdicts, either."""
    case = next(case for case in CASES if case.kind == "ratio")
    far = next(case for case in CASES if case.kind == "smallest of several").truths[1]
    asked = replace(case, truths=[replace(far, false=(CONFIRMED,))])
    found = simulate(asked, case.noise(summaries), 1, CAMPAIGNS)
    assert found["false"].min() > 0.95


def test_what_the_method_does_not_do_would_fail(summaries):
    levels = next(case for case in BEYOND if case.kind == "largest of levels")
    found = simulate(levels, levels.noise(summaries), seed=1, campaigns=CAMPAIGNS)
    assert found["held"].min() < 0.9 and found["false"].max() > 0.07
