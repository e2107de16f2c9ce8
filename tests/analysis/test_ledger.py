"""The ledger of claims: all are there, and what their studies print is computed again."""

import re
from functools import cache
from math import exp, log
from statistics import fmean

import pytest

from remeasure import config
from remeasure.analysis.arithmetic import Arithmetic, compute
from remeasure.analysis.claims import Claim, recalculate
from remeasure.analysis.published import load_published
from remeasure.errors import UserError
from remeasure.paths import ROOT
from remeasure.studies import pratama as study_pratama
from remeasure.studies.faigl import samples
from remeasure.studies.sokol import rates

CLAIMS = {
    "faigl": """
        tls-several-times-slower tls-over-150ms chain-2-to-4-30pct psk-vs-md5 tls-more-cpu-initiator
        tls-more-cpu-aaa table-libcrypto table-libc table-vmlinux table-yenta chain-affects-cost
        peer-chain-matters message-complexity cost-formula app-impact""",
    "pratama": """
        ike-normal latency-normal jitter-normal tcp-up-normal tcp-down-normal udp-up-normal
        udp-down-normal loss-normal ike-impaired latency-impaired jitter-impaired tcp-up-impaired
        tcp-down-impaired udp-up-impaired udp-down-impaired loss-impaired latency-gain-7pct
        impairment-ike-inflation impairment-tcp-asymmetry impairment-udp-asymmetry child-sa-time
        psk-overall-better rsa-udp-degradation psk-lower-cpu throughput-stable""",
    "sokol": """
        table1-tunnel table2-transport esp-vs-ah-15pct esp-vs-ah-tunnel-sha1-I
        esp-vs-ah-tunnel-sha1-II esp-vs-ah-tunnel-md5-I esp-vs-ah-tunnel-md5-II
        esp-vs-ah-transport-sha1-I esp-vs-ah-transport-sha1-II esp-vs-ah-transport-md5-I
        esp-vs-ah-transport-md5-II best-des-sha1 worst-aes256 worst-3des cipher-diff-few-pct
        aes128-vs-aes256 aes128-vs-3des md5-faster-than-sha hash-marginal large-file-faster
        transport-vs-tunnel extra-protection-10pct below-nominal""",
    "wagner": """
        unenc-early-throughput unenc-drop unenc-late-throughput unenc-early-jitterier
        single-sa-throughput single-sa-low-jitter pcpu-throughput pcpu-low-jitter speedup-3x
        no-linear-scaling rfc9611-quoted-scaling esp-cost-single esp-cost-pcpu
        cpu-unenc-sender-early cpu-unenc-sender-late cpu-unenc-receiver-early
        cpu-unenc-receiver-late cpu-unenc-receiver-higher cpu-pcpu-sender cpu-pcpu-receiver
        cpu-pcpu-receiver-lower cpu-single-sender cpu-single-receiver cpu-single-receiver-lower
        cpu-diff-smallest-single cpu-single-vs-unenc cpu-pcpu-vs-single cpu-averages
        cpu-stable-ipsec cpu-cost-per-bit overhead-limits-scaling eesp-equals-rfc9611
        psp-higher-than-eesp""",
    "weerawarna": """
        ws03-tcp-below-90 ws03-tcp-payload-shape ws03-tcp-averages ws03-tcp-des-vs-3des
        ws03-tcp-des-all-sizes ws03-tcp-md5-vs-sha1 ws03-tcp-clients-equal ws03-udp-below-90
        ws03-udp-averages ws03-udp-diff-23 ws03-udp-payload-shape ws03-udp-gt-tcp-des
        ws03-udp-win7-large ws03-udp-best-suite ws03-tcp-latency-range ws03-tcp-latency-clients
        ws03-tcp-latency-payload ws03-udp-latency-range ws03-udp-latency-clients
        ws03-udp-latency-payload ws03-tcp-jitter-clients ws03-jitter-grows ws03-jitter-worst
        ws03-3desmd5-latency-udp ws03-3desmd5-latency-tcp ws03-3desmd5-jitter-slope
        ws03-3desmd5-jitter-peaks ws03-udp-jitter-gt-tcp ws03-1536-clients ws08-tcp-clusters
        ws08-tcp-peak ws08-tcp-aes-best ws08-tcp-3des-worst ws08-tcp-win7-31 ws08-tcp-payload-shape
        ws08-udp-best ws08-udp-3des-vista ws08-udp-payload-shape ws08-tcp-latency-clients
        ws08-tcp-latency-small ws08-udp-latency-trend ws08-udp-latency-large
        ws08-udp-latency-vista-down ws08-jitter-grows ws08-udp-jitter-worst ws08-3des-tcp-vs-udp
        ws08-3des-udp-vista ws08-3desmd5-latency ws08-3des-jitter-range ws08-3des-jitter-udp-tcp
        ws08-aes256-udp-lt-tcp ws08-aes256-latency ws08-aes256-jitter ws08-desmd5-jitter
        ws08-1536-ranking ws08-tcp-latency-dessha1 x-3des-tcp-win7 x-3des-tcp-latency-win7
        x-3des-tcp-latency-vista x-3des-jitter-vista x-3des-jitter-win7 x-1536-vista x-1536-win7
        x-server-overall x-udp-gt-tcp x-best-client x-udp-jitter-vista lit-3des-3x
        ws03-udp-des-all-sizes ws03-tcp-medium-fastest
        ws03-udp-medium-fastest ws03-desmd5-latency-udp ws03-jitter-linear ws08-tcp-medium-fastest
        ws08-udp-all-sizes ws08-udp-jitter-gt-tcp ws08-jitter-linear ws08-desmd5-jitter-vista
        ws08-udp-latency-win7 x-3des-jitter-vista-servers ws03-3desmd5-latency-78""",
}
DERIVED = {
    "cpu_per_megabyte",
    "hosts_busy",
    "receiver_less_sender",
    "sender_receiver_gap",
    "cores_per_gbit",
}
"""metrics that notebooks derive from those of the codebook"""
published = cache(load_published)
each_study = pytest.mark.parametrize("study", CLAIMS)


@each_study
def test_every_claim_is_there_once_and_is_asked_or_says_why_not(study):
    claims = published(study).claims
    expected = [f"{study}-{name}" for name in CLAIMS[study].split()]
    assert sorted(claim.id for claim in claims) == sorted(expected)
    for claim in claims:
        assert bool(claim.tests) != bool(claim.not_testable), claim.id


def test_there_are_as_many_claims_as_in_the_five_studies():
    assert {study: len(names.split()) for study, names in CLAIMS.items()} == {
        "faigl": 15,
        "pratama": 25,
        "sokol": 23,
        "wagner": 33,
        "weerawarna": 81,
    }


@each_study
def test_every_metric_is_one_of_the_codebook_or_derived(study):
    known = set(re.findall(r"\w+", (ROOT / "data/README.md").read_text())) | DERIVED
    for claim in published(study).claims:
        assert {test.metric for test in claim.tests} <= known, claim.id


@each_study
def test_another_printed_number_has_another_verdict(study):
    printed = [
        one
        for claim in published(study).claims
        for one in claim.arithmetic
        if one.printed is not None
    ]
    for one in printed:
        right = one.model_copy(update={"printed": one.recomputed})
        wrong = one.model_copy(update={"printed": one.recomputed + 2 * one.tolerance + 0.01})
        assert (right.verdict, wrong.verdict) == ("reproduces", "does not reproduce"), one.says


@pytest.mark.parametrize(
    ("claim", "number", "expected", "verdict"),
    [
        ("faigl-tls-more-cpu-initiator", 0, 3514 / 1799, "reproduces"),
        ("faigl-tls-more-cpu-initiator", 3, 4914 / 2425, "reproduces"),
        ("faigl-chain-affects-cost", 0, 4273 - 3974, "reproduces"),
        ("faigl-cost-formula", 0, 1.6e6, ""),
        ("pratama-udp-up-normal", 0, -58.72, "reproduces"),
        ("pratama-latency-gain-7pct", 0, 600 / 82, "reproduces"),
        ("pratama-tcp-down-impaired", 1, 21.89e6 * 0.1068 / 2**21, "does not reproduce"),
        ("pratama-rsa-udp-degradation", 0, (35.66 * 2.06) / (1.18 * 94.38), "does not reproduce"),
        ("sokol-esp-vs-ah-15pct", 0, 100 * (1 - 291.43 / 16 / (85.8 / 4)), "reproduces"),
        ("sokol-esp-vs-ah-tunnel-sha1-I", 0, 100 * 3.18 / 21.28, "reproduces"),
        ("sokol-best-des-sha1", 0, 0.07, "reproduces"),
        ("sokol-md5-faster-than-sha", 0, 186.97 / 190.26, "does not reproduce"),
        ("wagner-pcpu-throughput", 0, 296747520, "does not reproduce"),
        ("wagner-cpu-pcpu-vs-single", 0, 35.7, "does not reproduce"),
        ("wagner-cpu-averages", 0, 53.5, "does not reproduce"),
        ("wagner-cpu-single-receiver-lower", 0, 2.4, "reproduces"),
        ("weerawarna-ws03-tcp-averages", 0, 0.6, "does not reproduce"),
        ("weerawarna-ws03-udp-diff-23", 1, 100 * 29 / 43, "does not reproduce"),
        ("weerawarna-ws03-udp-averages", 0, 72 / 43, "reproduces"),
    ],
)
def test_numbers_that_were_checked_by_hand(claim, number, expected, verdict):
    (found,) = [c for c in published(claim.split("-")[0]).claims if c.id == claim]
    table = recalculate([found])
    assert table["recomputed"][number] == pytest.approx(expected)
    assert table["verdict"][number] == verdict


def test_numbers_of_tables_are_those_of_the_tables():
    """A slip between the two copies would go unseen."""
    pratama = published("pratama")
    claims = {claim.id: claim.arithmetic for claim in pratama.claims}
    for row in study_pratama.comparisons(pratama):
        assert claims[row.id][0].values == {"psk": row.psk, "rsa": row.rsa}, row.id
    sokol, faigl = published("sokol"), published("faigl")
    printed = {rate for row in rates(sokol) for rate in (row.test_1, row.test_2)}
    numbers = {
        number
        for row in samples(faigl)
        for number in (row.libcrypto, row.libc, row.vmlinux, row.yenta)
    }
    for study, known in ((sokol, printed), (faigl, numbers)):
        for claim in study.claims:
            for one in claim.arithmetic:
                lists = [values for values in one.values.values() if isinstance(values, list)]
                assert {number for values in lists for number in values} <= known, claim.id


def geometric(numbers):
    return fmean(map(log, numbers))


def test_effects_that_are_typed_are_those_of_the_tables():
    """Where no one entry of `arithmetic` has all that a published effect is of."""
    rows = {
        row.id.removeprefix("pratama-"): row
        for row in study_pratama.comparisons(published("pratama"))
    }

    def pratama(over, under):
        """Both are lists of (row, arm)."""
        return exp(
            geometric(getattr(rows[row], arm) for row, arm in over)
            - geometric(getattr(rows[row], arm) for row, arm in under)
        )

    def arms(protocol, network, arm):
        return [(f"{protocol}-{way}-{network}", arm) for way in ("up", "down")]

    def falls(what):
        return pratama(
            [(f"{what}-normal", a) for a in ("psk", "rsa")],
            [(f"{what}-impaired", a) for a in ("psk", "rsa")],
        )

    def sokol(of, to, columns=("test_1", "test_2"), base=None):
        def values(suites, names):
            return [
                getattr(row, name)
                for row in rates(published("sokol"))
                for name in names
                if any(part in row.suite for part in suites)
            ]

        return exp(geometric(values(of, columns)) - geometric(values(to, base or columns)))

    profiled = {row.method: row.authentication for row in samples(published("faigl"))}
    esp = ("des", "aes")
    expected = {
        ("pratama-impairment-tcp-asymmetry", 0): falls("tcp-up"),
        ("pratama-impairment-tcp-asymmetry", 1): falls("tcp-down"),
        ("pratama-impairment-udp-asymmetry", 0): pratama(
            [("udp-up-normal", "rsa")], [("udp-up-impaired", "rsa")]
        ),
        ("pratama-impairment-udp-asymmetry", 1): pratama(
            [("udp-down-normal", "psk")], [("udp-down-impaired", "psk")]
        ),
        ("pratama-impairment-udp-asymmetry", 2): pratama(
            [("udp-down-normal", "rsa")], [("udp-down-impaired", "rsa")]
        ),
        **{
            ("pratama-psk-overall-better", place): pratama(
                arms("udp", network, "rsa"), arms("udp", network, "psk")
            )
            for place, network in ((4, "normal"), (5, "impaired"))
        },
        **{
            ("pratama-rsa-udp-degradation", place): pratama(
                arms("tcp", network, "rsa"), arms("tcp", network, "psk")
            )
            for place, network in ((0, "normal"), (1, "impaired"))
        },
        ("sokol-esp-vs-ah-15pct", 0): sokol(esp, ("ah",)),
        ("sokol-md5-faster-than-sha", 0): sokol(("md5",), ("sha1",)),
        ("sokol-large-file-faster", 0): sokol(("",), ("",), ("test_2",), ("test_1",)),
        ("faigl-chain-affects-cost", 1): profiled["eap-tls-3-3"] / profiled["eap-tls-2-2"],
        ("faigl-chain-affects-cost", 2): profiled["eap-tls-2-4"] / profiled["eap-tls-2-2"],
    }
    for (key, place), value in expected.items():
        (claim,) = [c for c in published(key.split("-")[0]).claims if c.id == key]
        digits = len(claim.tests[place].study.partition(".")[2])
        assert claim.of_study(place) == pytest.approx(value, abs=0.51 * 10**-digits), (key, place)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("a + b * 2", 8),
        ("(a + b) / 4", 1.25),
        ("-a - b", -5),
        ("abs(a - b)", 1),
        ("min(a, b, many)", 1),
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
    with pytest.raises(ValueError, match="found both"):
        Arithmetic(**one, printed=2, expect="> 1")


@pytest.mark.parametrize(
    ("formula", "wrong"),
    [
        ("a + c", "c is not a value; known: a, many"),
        ("sqrt(a)", r"sqrt\(a\) is not allowed; allowed are"),
        ("__import__('os')", "is not allowed"),
        ("a.real", "is not allowed"),
        ("a ** a", "is not allowed"),
        ("'a'", "is not allowed"),
        ("a if a else a", "is not allowed"),
        ("many - a", "many is a list; its min, max or mean is a number"),
        ("abs(a, a)", "abs"),
        ("max()", "max"),
        ("a / (a - a)", "zero"),
        ("a +", "not a formula"),
    ],
)
def test_a_formula_that_is_none_is_one_clear_message(formula, wrong):
    fields = {
        "id": "c-1",
        "says": "s",
        "not_testable": "n",
        "arithmetic": [{"says": "s", "values": {"a": 2, "many": [1, 2]}, "formula": formula}],
    }
    with pytest.raises(UserError, match=f"here: .*claim c-1: formula .*{wrong}") as error:
        config.validate(Claim, fields, "here")
    assert "\n" not in str(error.value)
