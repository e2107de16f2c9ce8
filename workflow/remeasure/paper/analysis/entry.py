"""The entry of a claim in the ledger, as a notebook hands it over in claims.json."""

from typing import NotRequired, TypedDict

from remeasure.bench.campaign.register import Standing
from remeasure.paper.analysis.lineage import Origin


class Part(TypedDict):
    """The answer to one question: a row of `answers.answer`. A number that is not finite is
    None."""

    quantity: str
    """in words"""
    brief: str
    """in the few words of `texts.in_brief`"""
    at: str
    """of an extreme: its level; or `answers.STILL`"""
    asked_at: str
    """of an extreme of which levels are missing: at how many it was asked, of how many"""
    value: float | None
    low: float | None
    high: float | None
    n: int
    """number of blocks that the question could use"""
    unit: str
    study: float | None
    """the number that the study published"""
    size_range: str
    as_ratio: bool
    expect: str
    matters: float | None
    because: str
    verdict: str
    """by only this test"""
    size: str
    """by only this test"""
    hidden_cost: float | None
    """of an effect hidden by a link: how much more processor time would not have shown, 0.1 is 10
    %"""
    p_confirmed: float
    """one-sided, as the following"""
    p_opposite: float
    p_no_difference: float
    t: NotRequired[float | None]
    """Student's t of the contrast against no effect; None unless each block gives one ratio or
    difference. Ledgers before November 2026 lack it"""
    generic_code: NotRequired[bool]
    """whether it compares suites, all computed without the processor's instructions for them"""
    origin: NotRequired[Origin | int | None]
    """of the estimate; in claims.json its place in lineage.json, and in the dataset missing"""


class Verdict(TypedDict):
    """The verdict on a claim, under one version of the rules (verdicts.judging.verdicts)."""

    verdict: str
    family_wise: str
    false_discovery: str
    uncorrected: str
    size: str
    decided_by: str
    parts: str
    reason: str
    """why there is no verdict"""


class Explored(Verdict):
    """The verdict under rules that are younger than the data."""

    tests: list[Part]


class Specification(TypedDict):
    """The verdict under one combination of choices (choices.Analyst)."""

    estimator: str
    bounds: str
    correction: str
    verdict: str
    value: float | None
    low: float | None
    high: float | None
    """of the first part, None where they are not finite [unit of the first question]"""


class Entry(Explored):
    """All results on one claim, under the campaign's own rules."""

    study: str
    scenario: str
    id: str
    says: str
    published: str
    note: str
    uncounted: str
    """why the claim is not counted among the study's findings"""
    stood: Standing
    """whether the claim is older than the data"""
    rules: int
    """version of the rules"""
    method: str
    blocks: int
    """number of blocks measured"""
    exploratory: Explored | None
    """under the rules of campaigns that begin now; None if the campaign already has them"""
    choices: dict[str, dict[str, str]]
    """kind of choice -> name -> verdict under it (choices.py)"""
    specifications: list[Specification]


Ledger = list[Entry]
