"""The report on a pilot: its conditions, and the changes of the plan that its rules ask for."""

import numpy as np
import pandas as pd
import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.folder import campaign_folder, load_frozen
from remeasure.bench.campaign.lengths import Length
from remeasure.bench.campaign.round_plan import Gate, RoundPlan
from remeasure.bench.campaign.rounds import Rounds
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.paper.publish.planning import pilot as module
from remeasure.paper.publish.planning import pilot_rules as rules
from remeasure.paper.publish.planning.like_against_like import compared
from remeasure.paper.publish.planning.opened import require_pilot
from remeasure.paper.publish.planning.pilot import pilot_report

LONG, SHORT = Length(60, 1, ""), Length(1, 0.1, "")


def plan_of(*names):
    return Rounds([[]] * 8, {name: load_scenario(name, "paper") for name in names}, {})


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ({"psk-rsa": SHORT, "nat-t": SHORT, "replay-window": SHORT}, (10, 10, 10)),
        # 25 hours, in eight rounds: nat-t loses blocks before replay-window, and psk-rsa none.
        ({"psk-rsa": LONG, "nat-t": LONG, "replay-window": SHORT}, (10, 8, 10)),
        ({"psk-rsa": LONG, "nat-t": SHORT, "replay-window": LONG}, (10, 6, 8)),
        ({"psk-rsa": LONG, "nat-t": LONG, "replay-window": LONG}, (10, 6, 6)),
        # 70 MB.
        ({"psk-rsa": Length(1, 4, ""), "nat-t": SHORT, "replay-window": Length(1, 3, "")},
         (10, 6, 6)),
    ],
)  # fmt: skip
def test_scenarios_lose_blocks_in_a_fixed_order(lengths, expected):
    blocks, minutes, size = rules.with_fewer_blocks(plan_of(*lengths), lengths)
    assert tuple(blocks.values()) == expected
    assert minutes == sum(n * lengths[name].minutes for name, n in blocks.items()) / 8
    assert size == pytest.approx(sum(n * lengths[name].megabytes for name, n in blocks.items()))


def test_pairs_of_like_and_like_differ_once_in_twenty():
    random = np.random.default_rng(5)
    names = [f"m{i}" for i in range(400)]
    pairs = pd.DataFrame(
        [("s", "p", name, ratio) for name in names for ratio in random.normal(0, 0.02, 10)],
        columns=["source", "probe", "metric", "ratio"],
    )
    found = compared(pairs, 8)
    assert 0.03 < found["false"].mean() < 0.07
    # t(7) * 0.02 / sqrt(8) = 1.7 %.
    assert found["half"].mean() == pytest.approx(1.65, rel=0.05)
    assert compared(pairs.head(0), 8).empty
    assert not compared(pairs.head(1), 8)["false"].any()


def test_a_released_campaign_can_be_read_as_a_pilot(monkeypatch):
    nothing = pd.DataFrame(
        [(1, 0, "pratama", "x", "undecided", "undecided")] * 11,
        columns=["rounds", "campaign", "study", "claim", "verdict", "strict"],
    )
    monkeypatch.setattr(module, "power", lambda *_: nothing)
    text = pilot_report("lab-2026-11-eap-pinned", 1, 1)
    lines = text.splitlines()
    states = {line.split(" | ")[0][2:]: line.split("**")[1] for line in lines if "| **" in line}
    assert states == {
        "at least 99 % of trials accepted": "reached",
        "no trial suspect of our own doing": "reached",
        "every cell of suite-cost limited by a gateway's processor": "open",
        "false differences of like and like 2 % to 8 %": "open",
        "minutes within 10 % of the plan": "not reached",
        "raw data of all rounds below 60 MB": "reached",
        "at most 10 statements undecided": "not reached",
    }
    assert any(line.startswith("- eap-methods: plan 9.0 minutes") for line in lines)
    assert any(line.startswith("| eap-methods | 7 | 9.0 | 15.1 (planned)") for line in lines)
    assert "suite-cost and psk-rsa: a third block" in text


@pytest.mark.parametrize("campaign", ["zz-none", "virtual-2026-11"])
def test_a_pilot_without_blocks_on_guests_is_one_line(campaign):
    with pytest.raises(UserError, match=f"{campaign}: found no block on guests, expected a pilot"):
        pilot_report(campaign, 1, 1)


def test_a_campaign_is_no_pilot(monkeypatch):
    """Its own trials are not looked at before its last round."""
    rounds = RoundPlan(gate=Gate(), code="0", blocks=[["nat-t/1"]])
    frozen = load_frozen(campaign_folder("lab-2026-11-22") / "campaign.yaml")
    own = frozen.model_copy(update={"rounds": rounds})
    monkeypatch.setattr("remeasure.paper.publish.planning.opened.read_frozen", lambda _: own)
    with pytest.raises(UserError, match="'lab-1.0': found rounds, expected a pilot, .*pilot-lab"):
        require_pilot("lab-1.0")
    require_pilot("pilot-lab-1.0")
