"""The ledger of claims: all are there, and the studies' printed numbers are computed again."""

from functools import cache
from statistics import geometric_mean

import pytest

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims import published as published_file
from remeasure.bench.claims.claim import Arithmetic, Claim, compute
from remeasure.bench.claims.published import load_published, studies
from remeasure.paper.analysis.verdicts.study_tables import Comparison, Rate, Samples

RECORDED = (ROOT / "tests/fixtures/claims.txt").read_text().split()
"""ids of claims that were once there; a claim that is new need not be added, and none may go"""
published = cache(load_published)


def test_no_claim_was_lost():
    found = {claim.id for study in studies() for claim in published(study).claims}
    assert set(RECORDED) <= found


@pytest.mark.parametrize(
    ("claim", "number", "expected", "verdict"),
    [
        ("faigl-tls-more-cpu-initiator", 0, 3514 / 1799, "reproduces"),
        ("faigl-chain-affects-cost", 0, 4273 - 3974, "reproduces"),
        ("faigl-cost-formula", 0, 1.6e6, ""),
        ("pratama-udp-up-normal", 0, -58.72, "reproduces"),
        ("pratama-tcp-down-impaired", 1, 21.89e6 * 0.1068 / 2**21, "does not reproduce"),
        ("pratama-rsa-udp-degradation", 0, (35.66 * 2.06) / (1.18 * 94.38), "does not reproduce"),
        ("sokol-esp-vs-ah-15pct", 0, 100 * (1 - 291.43 / 16 / (85.8 / 4)), "reproduces"),
        ("sokol-md5-faster-than-sha", 0, 186.97 / 190.26, "does not reproduce"),
        ("wagner-pcpu-throughput", 0, 296747520, "does not reproduce"),
        ("wagner-cpu-pcpu-vs-single", 0, 35.7, "does not reproduce"),
        ("wagner-cpu-single-receiver-lower", 0, 2.4, "reproduces"),
        ("weerawarna-ws03-udp-diff-23", 1, 100 * 29 / 43, "does not reproduce"),
    ],
)
def test_numbers_that_were_checked_by_hand(claim, number, expected, verdict):
    (found,) = [c for c in published(claim.split("-")[0]).claims if c.id == claim]
    computed = found.arithmetic[number]
    assert computed.recomputed == pytest.approx(expected)
    assert computed.verdict == verdict


def test_numbers_of_tables_are_those_of_the_tables():
    """A slip between the two copies would go unseen."""
    pratama = published("pratama")
    claims = {claim.id: claim.arithmetic for claim in pratama.claims}
    for row in pratama.rows("comparisons", Comparison):
        assert claims[row.id][0].values == {"psk": row.psk, "rsa": row.rsa}, row.id
    sokol, faigl = published("sokol"), published("faigl")
    printed = {rate for row in sokol.rows("rates", Rate) for rate in (row.test_1, row.test_2)}
    numbers = {
        number
        for row in faigl.rows("samples", Samples)
        for number in (row.libcrypto, row.libc, row.vmlinux, row.yenta)
    }
    for study, known in ((sokol, printed), (faigl, numbers)):
        for claim in study.claims:
            for one in claim.arithmetic:
                lists = [values for values in one.values.values() if isinstance(values, list)]
                assert {number for values in lists for number in values} <= known, claim.id


def test_effects_that_are_typed_are_those_of_the_tables():
    """For effects that no single entry of `arithmetic` covers."""
    rows = {row.id: row for row in published("pratama").rows("comparisons", Comparison)}
    rates = published("sokol").rows("rates", Rate)
    faigl = published("faigl")
    profiled = {row.method: row.authentication for row in faigl.rows("samples", Samples)}
    both, tests = ("psk", "rsa"), ("test_1", "test_2")

    def falls(way, *arms):
        normal, impaired = (
            geometric_mean([getattr(rows[f"pratama-{way}-{network}"], arm) for arm in arms])
            for network in ("normal", "impaired")
        )
        return normal / impaired

    def rsa_to_psk(protocol, network):
        of = [rows[f"pratama-{protocol}-{way}-{network}"] for way in ("up", "down")]
        return geometric_mean([row.rsa / row.psk for row in of])

    def sokol(columns, *suites):
        found = [row for row in rates if any(part in row.suite for part in suites)]
        return geometric_mean([getattr(row, name) for row in found for name in columns])

    all_tls = geometric_mean([profiled[method] for method in faigl.groups["method"]["tls"]])
    for key, place, value in (
        ("pratama-impairment-tcp-asymmetry", 0, falls("tcp-up", *both)),
        ("pratama-impairment-tcp-asymmetry", 1, falls("tcp-down", *both)),
        ("pratama-impairment-udp-asymmetry", 0, falls("udp-up", "rsa")),
        ("pratama-impairment-udp-asymmetry", 1, falls("udp-down", "psk")),
        ("pratama-impairment-udp-asymmetry", 2, falls("udp-down", "rsa")),
        ("pratama-psk-overall-better", 4, rsa_to_psk("udp", "normal")),
        ("pratama-psk-overall-better", 5, rsa_to_psk("udp", "impaired")),
        ("pratama-rsa-udp-degradation", 0, rsa_to_psk("tcp", "normal")),
        ("pratama-rsa-udp-degradation", 1, rsa_to_psk("tcp", "impaired")),
        ("sokol-esp-vs-ah-15pct", 0, sokol(tests, "des", "aes") / sokol(tests, "ah")),
        ("sokol-large-file-faster", 0, sokol(tests[1:], "") / sokol(tests[:1], "")),
        ("faigl-tls-more-cpu-initiator", 0, all_tls / profiled["eap-md5"]),
        ("faigl-chain-affects-cost", 1, profiled["eap-tls-3-3"] / profiled["eap-tls-2-2"]),
        ("faigl-chain-affects-cost", 2, profiled["eap-tls-2-4"] / profiled["eap-tls-2-2"]),
    ):
        (claim,) = [c for c in published(key.split("-")[0]).claims if c.id == key]
        digits = len(claim.tests[place].study.partition(".")[2])
        found = claim.of_study(claim.tests[place], place)
        assert found == pytest.approx(value, abs=0.51 * 10**-digits), (key, place)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("a + b * 2", 8),
        ("abs(a - b)", 1),
        ("max(many)", 6),
        ("mean(many)", 3),
        ("100 * (1 - a / b)", 100 / 3),
    ],
)
def test_formulas(formula, expected):
    assert compute(formula, {"a": 2, "b": 3, "many": [1, 2, 6]}) == pytest.approx(expected)


def test_a_verdict_needs_something_beside_the_number():
    one = {"says": "s", "values": {"a": 2}, "formula": "a"}
    assert Arithmetic(**one).verdict == ""
    assert Arithmetic(**one, expect="> 1").verdict == "reproduces"
    assert Arithmetic(**one, expect="2.5 to 3").verdict == "does not reproduce"
    assert Arithmetic(**one, printed=2.1, tolerance=0.1).verdict == "reproduces"
    assert Arithmetic(**one, printed=2.2, tolerance=0.1).verdict == "does not reproduce"
    with pytest.raises(ValueError, match="found both"):
        Arithmetic(**one, printed=2, expect="> 1")


@pytest.mark.parametrize(
    ("formula", "wrong"),
    [
        ("a + c", "c is not a value; known: a, many"),
        ("sqrt(a)", r"sqrt\(a\) is not allowed; allowed are"),
        ("__import__('os')", "is not allowed"),
        ("a ** a", "is not allowed"),
        ("many - a", "many is a list; its min, max or mean is a number"),
        ("a / (a - a)", "zero"),
        ("a +", "not a formula"),
    ],
)
def test_a_formula_that_is_none_is_one_clear_message(formula, wrong):
    one = {"says": "s", "values": {"a": 2, "many": [1, 2]}, "formula": formula}
    fields = {"id": "c-1", "says": "s", "not_testable": "n", "arithmetic": [one]}
    with pytest.raises(UserError, match=f"here: .*claim c-1: formula .*{wrong}") as error:
        config.validate(Claim, fields, "here")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("reference:", "study: sokol\nreference:"), "study: a study has the name of its file"),
        (
            ("scenario: ah-esp-ciphers", "scenario: nosuch"),
            "scenario: scenario 'nosuch': no such scenario; known: ah",
        ),
        (("id: sokol-", "id: other-"), "claims: id 'other-.*expected mine-"),
    ],
)
def test_a_copied_study_says_what_is_wrong(tmp_path, monkeypatch, change, message):
    text = (ROOT / "data/published/sokol.yaml").read_text()
    before, after = change
    assert before in text
    (tmp_path / "mine.yaml").write_text(text.replace(before, after, 1))
    monkeypatch.setattr(published_file, "FOLDER", tmp_path)
    with pytest.raises(UserError, match=message):
        load_published("mine")
