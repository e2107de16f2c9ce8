"""The rules decide: rates limited by links, shapes, costs, parts, claims written later."""

import pandas as pd
import pytest
from frames import frame
from made_up_study import PSK, RATIO, RSA, SAME, STATED, ledger_of, study, summaries

from remeasure.bench.claims.questions import Question
from remeasure.bench.claims.rules import COST, COST_OF_BYTE, RULES, as_cost
from remeasure.paper.analysis.decisions import (
    CONFIRMED,
    HIDDEN,
    NO_DIFFERENCE,
    NO_SIZE,
    NOT_TESTABLE,
    OPPOSITE,
    OUTSIDE,
    UNDECIDED,
)
from remeasure.paper.analysis.selection import Measurements
from remeasure.paper.analysis.verdicts.answers import _as_ruled
from remeasure.paper.analysis.verdicts.judging import FLAT, WRITTEN_LATER
from remeasure.paper.analysis.verdicts.ledger import in_generic_code
from remeasure.paper.analysis.verdicts.readable import NO_TIME, BenchFacts
from remeasure.paper.notebook.shared_tables import NOT_RECORDED
from remeasure.paper.notebook.shared_tables import in_generic_code as computed_in_generic_code

LINKED = "a link limited 1 of 10 runs: the cost where a processor is the limit was not measured"
AUTH = frozenset({"auth"})
SLOW = [93.0, 97.6, 92.0, 97.9, 95.7]
"""more than PSK with p 0.004, of which Holm's correction for 20 tests leaves nothing"""
EQUAL = {**RATIO, "expect": "0.95 to 1.05", "because": "made up"}


def held(limit="link", blocks=5, spare=0.17):
    """A bench on which `limit` limited every run, and authentication stands for a suite."""
    rows = [(block, auth) for block in range(blocks) for auth in ("psk", "rsa")]
    same = {"probe": "tcp", "limit": limit, "reading": "performance", "spare": spare}
    same |= {"datagrams": True, "in_packet": 1000.0}
    return BenchFacts(frame("block auth", *rows, **same), suites=AUTH, ends=AUTH)


def one(*tests, rsa=RSA, metric="goodput", rules=1, **more):
    asked = study({"tests": list(tests)})
    (entry,) = ledger_of(asked, summaries(PSK, rsa, metric), {}, rules, **more)
    return entry


@pytest.mark.parametrize(
    ("test", "rsa", "limit", "verdict"),
    [
        (STATED, SAME, "gateway", NO_DIFFERENCE),
        (STATED, SAME, "link", HIDDEN),
        (EQUAL, SAME, "gateway", CONFIRMED),
        (EQUAL, SAME, "link", HIDDEN),
        (STATED, RSA, "link", CONFIRMED),  # a difference is one, whatever limited it
        ({**STATED, "expect": "< 1"}, RSA, "link", OPPOSITE),
        (STATED, [80.0, 110, 85, 105, 95], "link", UNDECIDED),
    ],
)
def test_a_rate_that_a_link_held_says_nothing_of_suites_that_are_alike(test, rsa, limit, verdict):
    entry = one(test, rsa=rsa, bench=held(limit))
    assert entry["verdict"] == verdict
    assert (entry["tests"][0]["hidden_cost"] is None) == (verdict != HIDDEN)
    if verdict == HIDDEN:
        assert entry["size"] == "none given"


@pytest.mark.parametrize(
    ("published", "spare", "size"),
    [
        ("0.38", 0.17, OUTSIDE),  # 2.6 times as fast: the link allows no more
        ("0.9", 0.17, NO_SIZE),
        ("0.38", 2.0, NO_SIZE),  # three times the cost would have passed unseen
        ("0.38", float("nan"), NO_SIZE),
    ],
)
def test_what_authentication_costs_is_hidden_and_a_published_factor_may_not_be(
    published, spare, size
):
    asked = {**STATED, "study": published}
    entry = one(asked, rsa=SAME, bench=held(spare=spare))
    assert (entry["verdict"], entry["size"]) == (HIDDEN, size)
    if spare == 0.17:
        assert entry["decided_by"] == "up to 17 % more processor time would not have shown"
    bench = BenchFacts(held().limits, suites=AUTH)
    assert one(asked, rsa=SAME, bench=bench)["verdict"] == NO_DIFFERENCE, "not by the ends alone"


def test_a_statement_is_hidden_only_if_none_of_its_parts_is_undecided():
    """Round trips that are undecided would leave it undecided without any link, too."""
    open_part = {**STATED, "metric": "rtt_mean"}
    wide = summaries(PSK, [80.0, 110, 85, 105, 95], "rtt_mean")
    table = pd.concat([summaries(PSK, SAME), wide])
    for parts, verdict in (([STATED], HIDDEN), ([STATED, open_part], UNDECIDED)):
        asked = study({"tests": parts})
        assert ledger_of(asked, table, {}, 1, bench=held())[0]["verdict"] == verdict


def test_an_extreme_is_hidden_if_a_link_held_one_of_its_levels():
    table = pd.concat([summaries(PSK, SAME).assign(size=size) for size in "sl"])
    by_size = (("s", "gateway"), ("l", "link"))
    limits = pd.concat([held(limit).limits.assign(size=size) for size, limit in by_size])
    bench = BenchFacts(limits, ends=AUTH)
    asked = study({"tests": [{**STATED, "over": "size", "reduce": "min"}]})
    assert ledger_of(asked, table, {}, bench=bench)[0]["verdict"] == HIDDEN


@pytest.mark.parametrize("metric", ["delay_mean", "up_bulk_delay_median", "rtt_mean"])
def test_delays_over_sizes_need_links_that_take_time(metric):
    by_size = {"metric": metric, "of": {"auth": "rsa"}, "to": {"auth": "psk"}}
    test = {**STATED, **by_size}
    for takes_time, verdict in ((True, CONFIRMED), (False, NOT_TESTABLE)):
        bench = BenchFacts(sizes=frozenset({"auth"}), links_take_time=takes_time)
        entry = one(test, metric=metric, bench=bench)
        assert entry["verdict"] == verdict
    assert entry["reason"] == NO_TIME


@pytest.mark.parametrize("metric", ["delay_mean", "goodput"])
def test_a_verdict_that_is_withdrawn_makes_no_other_laxer(metric):
    """Sixty statements stay in the family: on delays over links that take no time, or on rates
    that a shared core limited."""
    one, other = ({**STATED, "where": {"probe": probe}} for probe in ("tcp", "udp"))
    other["metric"] = metric
    table = pd.concat([summaries(PSK, RSA, metric).assign(probe="udp"), summaries(PSK, RSA)])
    limits = held("core").limits.assign(probe="udp", reading="function only")
    bench = BenchFacts(limits, costly=AUTH, sizes=AUTH, links_take_time=False)
    asked = study({"tests": [one]}, *[{"tests": [other]}] * 60)
    entries = ledger_of(asked, table, {}, bench=bench)
    assert [entry["verdict"] for entry in entries] == [UNDECIDED, *[NOT_TESTABLE] * 60]


def test_the_family_is_what_counts_and_can_be_tested():
    """Sixty statements with one: repeats, ours, circular, of unmeasured cells, without a direction.
    None makes the one stricter."""
    beside = [
        {"tests": [STATED], "repeats": "s-1"},
        {"tests": [STATED], "ours": "its tables have it"},
        {"tests": [STATED], "circular": "the link decides"},
        {"tests": [{**STATED, "where": {"probe": "udp"}}]},
        {"tests": [RATIO]},
    ]
    asked = study({"tests": [STATED]}, *beside * 12)
    entries = ledger_of(asked, summaries(PSK, SLOW), {})
    assert entries[0]["verdict"] == entries[0]["family_wise"] == CONFIRMED
    assert entries[1]["verdict"] == CONFIRMED, "as sure as the effect that it repeats"


def test_the_false_discovery_rate_is_the_headline_of_campaigns_that_begin_now():
    """Twenty effects that are there, each with p 0.004: Holm loses all of them."""
    asked = study(*[{"tests": [STATED]}] * 20)
    now, then = (ledger_of(asked, summaries(PSK, SLOW), {}, rules) for rules in (3, 1))
    assert {(e["verdict"], e["family_wise"]) for e in now} == {(CONFIRMED, UNDECIDED)}
    assert {(e["verdict"], e["exploratory"]["verdict"]) for e in then} == {(UNDECIDED, CONFIRMED)}
    assert all(entry["exploratory"] is None for entry in now)


def lines(over):
    """Values over three sizes: `over` has one list for each."""
    tables = [
        summaries(values, []).assign(size=size, unit="ms", metric="jitter", probe="p")
        for size, values in zip(("1", "2", "3"), over, strict=True)
    ]
    return pd.concat(tables)


RISE = {"quantity": "slope", "metric": "jitter", "over": "size", "of": {"auth": "psk"}}
RISES = {**RISE, "expect": "> 0", "matters": 0.5, "because": "made up"}
STRAIGHT = {**RISE, "quantity": "straightness", "expect": "< 0.2", "because": "made up"}
FLAT_LINE = [[1.0, 1.01, 1.02, 1.03], [1.5, 1.51, 1.53, 1.52], [1.1, 1.12, 1.11, 1.1]]
STEEP = [[1.0, 1.01, 1.02, 1.03], [4.0, 4.1, 4.05, 4.02], [7.0, 7.1, 7.02, 7.06]]


@pytest.mark.parametrize(
    ("over", "rules", "verdict", "reason"),
    [
        (STEEP, 1, CONFIRMED, ""),
        (STEEP, 2, CONFIRMED, ""),
        (FLAT_LINE, 1, OPPOSITE, ""),
        (FLAT_LINE, 2, NOT_TESTABLE, FLAT),
    ],
)
def test_a_shape_is_asked_only_of_a_rise_that_matters(over, rules, verdict, reason):
    asked = study({"tests": [RISES]}, {"tests": [STRAIGHT]})
    _, shape = ledger_of(asked, lines(over), {}, rules)
    assert (shape["verdict"], shape["reason"]) == (verdict, reason)


def test_an_interval_without_an_end_decides_nothing():
    wild = [[1.0, 1.2, 0.9, 1.1], [2.4, 2.2, 2.5, 2.3], [1.0, 1.3, 0.8, 1.2]]
    (entry,) = ledger_of(study({"tests": [STRAIGHT]}), lines(wild), {})
    assert entry["tests"][0]["high"] is None and entry["verdict"] == UNDECIDED


@pytest.mark.parametrize(
    ("tests", "suites", "generic_code", "expected"),
    [
        ([STATED, RATIO], {"auth"}, True, True),
        ([STATED, {"metric": "goodput"}], {"auth"}, True, False),
        ([STATED], {"auth"}, False, False),
        ([STATED], set(), True, False),
    ],
)
def test_a_ranking_in_generic_code_is_known_by_what_it_compares(
    tests, suites, generic_code, expected
):
    bench = BenchFacts(suites=frozenset(suites), generic_code=generic_code)
    assert in_generic_code(one(*tests, bench=bench)) == expected


@pytest.mark.parametrize(
    ("drivers", "generic"),
    [
        ("cbc(aes): cbc(ecb(aes-lib)); hmac(md5): hmac-md5-lib", True),
        ("rfc4106(gcm(aes)): generic-gcm-vaes-avx512; hmac(md5): hmac-md5-lib", False),
        (NOT_RECORDED, False),
    ],
)
def test_drivers_tell_whether_ciphers_used_instructions(drivers, generic):
    assert computed_in_generic_code({"crypto drivers": drivers}) == generic


def test_a_claim_that_is_younger_than_the_data_is_exploratory():
    entry = one(STATED, stood={"s-1": "changed since"})
    assert (entry["verdict"], entry["reason"]) == (NOT_TESTABLE, WRITTEN_LATER)
    assert entry["exploratory"]["verdict"] == CONFIRMED


def test_primary_questions_decide_under_later_rules_alone():
    less = {**STATED, "expect": "< 1"}
    asked = study({"tests": [STATED], "primary": [less]})
    then, now = (ledger_of(asked, summaries(PSK, RSA), {}, rules)[0] for rules in (1, 2))
    assert (then["verdict"], then["exploratory"]["verdict"]) == (CONFIRMED, OPPOSITE)
    assert now["verdict"] == OPPOSITE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"expect": "> 1", "matters": 1.05}, {"expect": "< 1", "matters": 1.05}),
        ({"expect": "> 0.8", "matters": None}, {"expect": "< 1.25", "matters": None}),
        ({"expect": "0.8 to 1.25", "matters": None}, {"expect": "0.8 to 1.25", "matters": None}),
        ({"quantity": "lead", "among": "auth"}, {"quantity": "trail", "expect": "< 1"}),
        ({"over": "size", "reduce": "min"}, {"reduce": "max", "expect": "< 1"}),
        ({"study": "rsa / psk"}, {"study": "1 / (rsa / psk)"}),
        ({"size": "1.25 to 2"}, {"size": "0.5 to 0.8"}),
    ],
)
def test_a_cost_is_the_inverse_of_a_rate(before, after):
    asked = as_cost(Question(**{**STATED, **before}))
    assert asked.metric == COST
    assert {key: getattr(asked, key) for key in after} == after
    Question(**asked.model_dump())


def test_suites_are_compared_by_cost_where_a_processor_is_the_limit():
    """By rates RSA is slower; by the cost of a packet, if no link is the limit, it is dearer."""
    costs = summaries(PSK, RSA, COST)
    table = pd.concat([summaries(RSA, PSK), costs])
    asked = study({"tests": [{**STATED, "expect": "< 1"}]})
    free, linked = held("gateway"), held("gateway")
    linked.limits.loc[0, "limit"] = "link"  # one of ten trials: to leave it out would choose
    for bench, expected in ((free, (CONFIRMED, "")), (linked, (NOT_TESTABLE, LINKED))):
        (entry,) = ledger_of(asked, table, {}, 2, bench=bench)
        assert (entry["verdict"], entry["reason"]) == expected
    assert entry["tests"][0]["quantity"].startswith("ratio of cpu_per_packet")
    nothing = study({"tests": [{**STATED, "metric": "rtt"}]})
    (entry,) = ledger_of(nothing, table, {}, 2, bench=held())
    assert entry["reason"] == "no value of rtt in these trials"


FEWER = {"psk": 1000.0, "rsa": 1300.0}


@pytest.mark.parametrize(
    ("rules", "datagrams", "in_packet", "metric", "verdict"),
    [
        (3, {True}, {}, COST, CONFIRMED),
        (3, {False}, {}, COST_OF_BYTE, OPPOSITE),
        (3, {True, False}, {}, COST_OF_BYTE, OPPOSITE),  # of both transports
        (3, {False}, FEWER, COST_OF_BYTE, OPPOSITE),
        (3, {True}, FEWER, COST, NOT_TESTABLE),
        (2, {False}, {}, COST, CONFIRMED),
        (2, {False}, FEWER, COST, NOT_TESTABLE),
    ],
)
def test_suites_by_tcp_are_compared_by_the_cost_of_a_byte(
    rules, datagrams, in_packet, metric, verdict
):
    """RSA stands for a suite that puts more bytes into a packet: dearer by packet, not by byte."""
    table = pd.concat([summaries(RSA, PSK), summaries(PSK, RSA, COST)])
    table = pd.concat([table, summaries(RSA, PSK, COST_OF_BYTE)])
    runs = [held("gateway").limits.assign(datagrams=sent) for sent in datagrams]
    limits = pd.concat(runs).assign(in_packet=lambda t: t["auth"].map(in_packet).fillna(1000.0))
    asked = study({"tests": [{**STATED, "expect": "< 1"}]})
    (entry,) = ledger_of(asked, table, {}, rules, bench=BenchFacts(limits, suites=AUTH))
    assert entry["tests"][0]["quantity"].startswith(f"ratio of {metric}")
    assert entry["verdict"] == verdict
    refused = "carry 1000 and 1300 B of payload, 30.0 % apart, expected at most 2 %"
    assert (refused in entry["reason"]) == (verdict == NOT_TESTABLE)
    other = {"cost of a packet by TCP, too": NOT_TESTABLE if in_packet else CONFIRMED}
    by_byte = metric == COST_OF_BYTE
    assert entry["choices"].get("quantity", {}) == (other if by_byte else {})


def test_trials_of_another_probe_do_not_choose_the_cost():
    measured = Measurements(summaries(PSK, RSA, COST))
    asked = Question(**STATED, probe="other")
    assert _as_ruled(asked, RULES[3], held("gateway"), measured, {}).metric == COST_OF_BYTE


def test_the_cost_of_a_byte_needs_a_processor_as_the_limit_too():
    limits = held("gateway").limits.assign(datagrams=False)
    limits.loc[0, "limit"] = "link"
    table = pd.concat([summaries(RSA, PSK), summaries(RSA, PSK, COST_OF_BYTE)])
    asked = study({"tests": [STATED]})
    (entry,) = ledger_of(asked, table, {}, 3, bench=BenchFacts(limits, suites=AUTH))
    assert (entry["verdict"], entry["reason"]) == (NOT_TESTABLE, LINKED)


EVERY = {**STATED, "over": "size", "reduce": "min"}


@pytest.mark.parametrize(
    ("rsa", "whole", "lacking"),
    [
        (RSA, CONFIRMED, UNDECIDED),
        ([80.0, 83, 81, 84, 82], OPPOSITE, OPPOSITE),  # one size is enough against it
        (SAME, NO_DIFFERENCE, UNDECIDED),
    ],
)
def test_at_every_size_needs_every_size(rsa, whole, lacking):
    """Size 3 has no trials with RSA; size 4 has none at all, and the claim names it."""
    three = pd.concat([summaries(PSK, rsa).assign(size=size) for size in "123"])
    two = three[(three["size"] != "3") | (three["auth"] == "psk")]
    named = {**EVERY, "of": {"auth": "rsa", "size": list("1234")}}
    named["to"] = {**named["of"], "auth": "psk"}
    for test, table, verdict, asked_at in (
        (EVERY, three, whole, ""),
        (EVERY, two, lacking, "2 of 3"),
        (named, three, lacking, "3 of 4"),
    ):
        (entry,) = ledger_of(study({"tests": [test]}), table, {})
        assert (entry["verdict"], entry["tests"][0]["asked_at"]) == (verdict, asked_at)
        if verdict == UNDECIDED:
            assert entry["decided_by"] == f"asked at {asked_at} levels"
