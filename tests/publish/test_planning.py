"""The plan of a campaign: its sums, the widths of intervals, and simulated campaigns."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from remeasure.bench.campaign.build import read_build
from remeasure.bench.campaign.plan import Length, known_blocks, length_of
from remeasure.bench.campaign.rounds import Rounds, ScenarioBlocks, campaign_rounds, draw_rounds
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.claims.published import OURS
from remeasure.paper.analysis.decisions import UNDECIDED
from remeasure.paper.publish.planning.chances import chances, of_scenario
from remeasure.paper.publish.planning.headlines import HEADLINES, narrowing, widths
from remeasure.paper.publish.planning.noise import measured_noise, narrower
from remeasure.paper.publish.planning.opened import opened
from remeasure.paper.publish.planning.plan_text import (
    LONGEST,
    chances_text,
    decided_text,
    minutes_of,
    plan_text,
)
from remeasure.paper.publish.planning.power import MANY, SimulatedVerdict, power, simulated

SCENARIOS = {name: load_scenario(name, "paper") for name in ("psk-rsa", "eap-methods")}
LENGTHS = {"psk-rsa": Length(10, 0.5, "measured"), "eap-methods": Length(30, 2, "planned")}
PARTS = {name: ScenarioBlocks(one.design.blocks, 60) for name, one in SCENARIOS.items()}
PLAN = Rounds(draw_rounds(PARTS, 7, 5), SCENARIOS)


def test_a_plan_sums_up_its_blocks():
    lines = plan_text("mine", PLAN, LENGTHS, 7).splitlines()
    # 10 blocks of 10 minutes and 0.5 MB, and 5 of 30 minutes and 2 MB, in five equal rounds.
    assert lines[0] == (
        "Campaign mine, profile paper, seed 7: 5 rounds, 15 blocks, 4.2 hours, 15 MB"
    )
    rounds = [line for line in lines if line.startswith("Round")]
    assert rounds == [f"Round {n}: 3 blocks, 50 minutes" for n in range(1, 6)]
    named = ", ".join(line.strip() for line in lines if line.startswith("  ")).split(", ")
    blocks = {f"{b.scenario} {b.number}" for one in PLAN.rounds for b in one}
    assert {*named} == blocks
    assert all(len(line) <= 98 for line in lines)
    assert "Longest round: 50 minutes, allowed 165" in lines


@pytest.mark.parametrize("seed", [2026, 1])
def test_no_round_of_the_release_is_longer_than_a_stretch_of_work(seed):
    plan, known = campaign_rounds("not-begun", "release", seed), known_blocks()
    lengths = {name: length_of(scenario, known) for name, scenario in plan.scenarios.items()}
    minutes = [minutes_of(one, lengths) for one in plan.rounds]
    assert max(minutes) <= LONGEST and sum(minutes) <= 20 * 60
    blocks = {name: scenario.design.blocks for name, scenario in plan.scenarios.items()}
    assert sum(blocks[name] * lengths[name].megabytes for name in blocks) <= 60


@pytest.mark.parametrize(("measured", "planned"), [(5, 16), (3, 8), (10, 10)])
def test_more_blocks_make_an_interval_narrower(measured, planned):
    """As two samples of the same spread say, of whatever size."""
    halves = [stats.t.ppf(0.975, n - 1) / np.sqrt(n) for n in (measured, planned)]
    assert narrowing(measured, planned) == pytest.approx(halves[1] / halves[0])


def test_headlines_are_asked_of_measured_cells():
    measured = HEADLINES.keys() & read_build().campaigns
    plan = Rounds([], {name: load_scenario(name, "paper") for name in measured})
    assert len(widths(plan)) == sum(len(HEADLINES[name]) for name in measured)


def summaries(values):
    """A table with one cell for each column of `values`, and one block for each row."""
    return pd.DataFrame(
        [
            {"block": b + 1, "trial": c, "auth": f"a{c}", "probe": "p", "metric": "m",
             "unit": "s", "value": value}
            for b, row in enumerate(values)
            for c, value in enumerate(row)
        ]
    )  # fmt: skip


def test_drawn_campaigns_have_the_truth_as_their_mean_and_the_right_spread():
    random = np.random.default_rng(3)
    values = np.exp(random.normal([1, 2], 0.1, (6, 2)))
    noise = measured_noise(
        summaries(values), lambda cells: np.ones(len(cells)), [], lambda cells: cells["probe"] == ""
    )
    drawn = [noise.draw(random.integers(0, 6, 50)) for _ in range(200)]
    logs = pd.concat(drawn).groupby("auth")["value"].apply(np.log).groupby("auth")
    for cell, (_, of) in enumerate(logs):
        assert of.mean() == pytest.approx(np.log(values[:, cell]).mean(), abs=0.01)
        # Drawn from six residuals, a variance is five sixths of theirs; widening makes up for it.
        assert of.std() == pytest.approx(np.log(values[:, cell]).std(ddof=1), rel=0.05)


def test_other_blocks_may_be_the_truth():
    noise = measured_noise(
        summaries([[1.0], [np.e]]), lambda cells: np.ones(1), [], lambda cells: np.full(1, False)
    )
    mean, widened = 0.5, 0.5 * 2**0.5
    usual, other = (np.log(noise.draw(np.array([0]), at)["value"].item()) for at in (None, [1, 1]))
    assert usual == pytest.approx(mean - widened) and other == pytest.approx(mean)


def test_authentication_has_no_effect_on_traffic_in_the_truth():
    noise = measured_noise(
        summaries([[1.0, 3.0], [1.0, 3.0]]),
        lambda cells: np.ones(len(cells)),
        ["auth"],
        lambda cells: np.full(len(cells), True),
    )
    assert noise.draw(np.array([0]))["value"].to_list() == pytest.approx([3**0.5] * 2)


def test_more_readings_make_a_trial_less_noisy():
    notebook = opened("psk-rsa")
    then = notebook.scenario
    document = then.document | {"probes": {**then.document["probes"]}}
    document["probes"]["loss"] = document["probes"]["loss"] | {"count": 600}
    now = type(then)(then.name, document, then.profile, "here", then.documents)
    cells = notebook.summaries[["probe", "metric"]].drop_duplicates().reset_index(drop=True)
    found = cells.assign(by=narrower(cells, notebook.tables, then, now)).set_index(
        ["probe", "metric"]
    )["by"]
    assert found["loss", "loss"] == pytest.approx(0.5)
    assert found["latency", "rtt"] == found["tcp_up", "goodput"] == 1


def test_simulated_campaigns_depend_on_the_seed_and_many_blocks_decide_more():
    planned, again, other = (power(PLAN, 3, seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(planned, again)
    assert not planned.equals(other)
    assert {*planned["study"]} == {"pratama", "faigl"}
    undecided = (planned["verdict"] == UNDECIDED).groupby(planned["rounds"]).sum()
    assert undecided[MANY] < undecided[5]


def test_a_plan_names_what_many_blocks_do_not_decide():
    verdicts = {  # of three campaigns, with the planned blocks and with many
        "x-sure": "ccc ccc", "x-later": "cuu ccc", "x-never": "uuu uuc", "x-once": "u--  ---",
    }  # fmt: skip
    words = {"c": "confirmed", "u": "undecided"}
    rows = [
        (rounds, campaign, "x", claim, words[letter])
        for claim, told in verdicts.items()
        for rounds, letters in zip((8, MANY), told.split(), strict=True)
        for campaign, letter in enumerate(letters)
        if letter in words
    ]
    told = decided_text(
        pd.DataFrame(rows, columns=["rounds", "campaign", *SimulatedVerdict._fields])
    )
    assert told.startswith("Statements: 3 can be tested; 1 are decided") and "once" not in told
    later, never = told.partition("Not sure")[2].split(f"as {MANY} do not")
    assert "later 33 % (100 %)" in later and "never 0 % (33 %)" in never


def test_a_scenario_without_trials_takes_those_of_its_study_and_limits_of_the_pilot():
    """Suites can be compared by their cost; rates of payloads, whose limit is unknown, cannot."""
    scenario = load_scenario("suite-cost", "release")
    of = simulated(scenario, ["suite-cost", "algorithm-sweep"])
    assert {*of.bench.limits["limit"]} == {"unknown"}
    asked = {one.claim for one in of.judged(5, np.random.default_rng(1))}
    assert "weerawarna-ws03-tcp-des-all-sizes" in asked
    assert "weerawarna-ws08-tcp-peak" not in asked


def test_predictions_have_their_chances():
    """Moved to where trials are, bounds are kept; where trials contradict them, they are not."""
    scenario = load_scenario("nat-t", "release")
    (found,) = chances(Rounds([], {"nat-t": scenario}), 4, 1)
    assert (found.claim, found.if_true) == ("ours-udp-encapsulation", 1)
    assert found.confirmed + found.refuted <= 1
    of = simulated(scenario, ["nat-t"], [OURS])
    (claim,) = of.studies[0].claims
    wrong = claim.with_questions(lambda test: test.model_copy(update={"expect": "2 to 2.2"}))
    of = replace(of, studies=[of.studies[0].model_copy(update={"claims": [wrong]})])
    (found,) = of_scenario(of, dict.fromkeys(of.noise, opened("nat-t").predicted), 6, 4, 1)
    assert found[1:] == (1, 0, 1)
    (unseen,) = of_scenario(of, {}, 6, 4, 1)
    assert unseen.if_true == 1 and np.isnan(unseen[2:]).all()
    line = "ours-udp-encapsulation                       100 %         0 %     100 %"
    assert chances_text([found], 4).splitlines()[1] == line


def test_levels_without_trials_vary_apart_from_those_that_they_are_compared_with():
    of = simulated(load_scenario("psk-rsa", "release"), ["psk-rsa"], [OURS])
    drawn = of.noise["median"].draw(np.arange(of.measured))
    rows = (drawn["metric"] == "ike_sa") & (drawn["probe"] == "ike_warm")
    table = drawn[rows & (drawn["network"] == "normal")].pivot(
        index="block", columns="auth", values="value"
    )
    assert table["rsa-one-packet"].mean() == pytest.approx(table["rsa"].mean(), rel=0.05)
    assert table["ecdsa"].mean() == pytest.approx(table["psk"].mean(), rel=0.05)
    apart = (table["rsa"] - table["rsa-one-packet"]).std()
    assert apart == pytest.approx((table["rsa"] - table["psk"]).std(), rel=0.3)
