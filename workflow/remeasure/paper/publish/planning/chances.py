"""How likely each of our own predictions is confirmed, and refuted, in simulated campaigns.

A prediction is tried on two truths. The first is the prediction's own, the middle of its bounds: a
prediction that is seldom confirmed there asks for more than the campaign can show. Trials stay as
they are, and bounds are moved to where released trials are. A bound with one end has no middle, and
stays. The second truth is one that released trials leave possible: the mean of their blocks,
drawn with replacement. It tells how much a prediction risks.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from remeasure.bench.campaign.rounds import Rounds
from remeasure.bench.claims.claim import Claim
from remeasure.bench.claims.published import OURS
from remeasure.bench.claims.questions import RATIOS, Question, bounds
from remeasure.bench.claims.rules import PRESENT, RULES
from remeasure.paper.analysis.decisions import CONFIRMED, DECIDED
from remeasure.paper.analysis.verdicts.answers import Summaries, answer
from remeasure.paper.publish.planning.power import Simulated, opened_once, simulated, source_of


class Chance(NamedTuple):
    """A prediction in simulated campaigns; shares of them, NaN if trials are missing."""

    claim: str
    if_true: float
    """confirmed, if its truth is the prediction's own"""
    confirmed: float
    """confirmed, by released trials"""
    refuted: float
    """the opposite, or no difference that matters, by released trials"""


def chances(plan: Rounds, campaigns: int, seed: int) -> Iterator[Chance]:
    """The chances of each prediction on a planned scenario. Raises UserError."""
    for name, scenario in plan.scenarios.items():
        if of := simulated(scenario, plan.scenarios, [OURS]):
            released: Summaries = {}
            if source_of(scenario) == name:
                released = dict.fromkeys(of.noise, opened_once(name).predicted)
            yield from of_scenario(of, released, scenario.design.blocks, campaigns, seed)


def of_scenario(
    of: Simulated, released: Summaries, blocks: int, campaigns: int, seed: int
) -> Iterator[Chance]:
    """The chances of the predictions in simulated campaigns of so many blocks. `released`: trials
    by which predictions are judged, without those that stand for others."""
    (study,) = of.studies
    if of.measured < 2:  # one block has no noise
        yield from (Chance(claim.id, *(np.nan,) * 3) for claim in study.claims)
        return
    measured = {name: noise.draw(np.arange(of.measured)) for name, noise in of.noise.items()}
    found = answer(study, measured, rules=RULES[PRESENT], bench=of.bench)
    values = {claim: list(rows) for claim, rows in found.groupby("id")["value"]}
    moved = [_moved(claim, values.get(claim.id, [])) for claim in study.claims]
    cases = {
        "own": (replace(of, studies=[study.model_copy(update={"claims": moved})]), False),
        "released": (of, True),
    }
    counts: Counter[tuple[str, str, str]] = Counter()
    for case, (one, unsure) in cases.items():
        for campaign in range(campaigns):
            random = np.random.default_rng([seed, campaign, *study.scenario.encode()])
            for asked in one.judged(blocks, random, unsure):
                refuted = asked.verdict in DECIDED and asked.verdict != CONFIRMED
                counts[case, asked.claim, "refuted" if refuted else asked.verdict] += 1
                counts[case, asked.claim, ""] += 1
    own = answer(study, released, rules=RULES[PRESENT], bench=of.bench) if released else found[:0]
    known = own.groupby("id")["n"].min()

    def share(case: str, claim: str, verdict: str) -> float:
        return counts[case, claim, verdict] / (counts[case, claim, ""] or np.nan)

    for claim in study.claims:
        both = [share("released", claim.id, verdict) for verdict in (CONFIRMED, "refuted")]
        seen = known.get(claim.id, 0) > 1
        yield Chance(
            claim.id, share("own", claim.id, CONFIRMED), *(both if seen else (np.nan,) * 2)
        )


def _moved(claim: Claim, values: list[float]) -> Claim:
    tests = [_around(test, value) for test, value in zip(claim.tests, values, strict=False)]
    return claim.model_copy(update={"tests": tests})


def _around(test: Question, value: float) -> Question:
    least, most = bounds(test.expect or "")
    if not np.isfinite([least, most, value]).all():
        return test
    if least > 0 and test.quantity in ("level", *RATIOS):
        by = value / np.sqrt(least * most)
        least, most = least * by, most * by
    else:
        by = value - (least + most) / 2
        least, most = least + by, most + by
    return test.model_copy(update={"expect": f"{least:.9f} to {most:.9f}"})
