"""Which blocks a build is made from."""

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_yaml
from remeasure.bench.base.names import scenario_names
from remeasure.bench.campaign import folder
from remeasure.bench.campaign.build import PATH, read_build
from remeasure.bench.campaign.profiles import under_profile
from remeasure.bench.campaign.scenario import Scenario, scenario_path
from remeasure.graph.blocks import Blocks

FILE = read_yaml(PATH)
MINE = {"campaign": "zz-mine", "profile": "smoke"}
"""a campaign that no clone has, like a reader's `mine`"""


def test_released_campaigns_are_there_whole():
    build = read_build()
    blocks = Blocks(build)
    assert blocks.of.keys() == build.campaigns.keys()
    assert blocks.missing == blocks.left_out == []
    for name, archives in blocks.of.items():
        on_disk = [
            str(path.relative_to(PATH.parents[1]))
            for campaign in build.campaigns[name]
            for path in sorted((PATH.parents[1] / "data/raw" / campaign / name).glob("*.zip"))
        ]
        assert archives == on_disk
        assert all(map(blocks.is_released, archives))
    assert blocks.published(blocks.of, build.campaigns)


def test_a_campaign_of_ones_own_is_missing_and_not_published():
    blocks = Blocks(read_build(FILE | MINE))
    assert blocks.of["psk-rsa"] == ["data/raw/zz-mine/psk-rsa/block-01.zip"]
    assert blocks.missing == blocks.every
    assert not any(map(blocks.is_released, blocks.missing))
    assert not blocks.published(["psk-rsa"], read_build().campaigns)


def test_a_profile_may_name_its_scenarios():
    build = read_build(FILE | {"campaign": "zz-mine", "profile": "many-cpus"})
    blocks = Blocks(build)
    assert [*blocks.of] == ["per-cpu-sas"]
    assert {*blocks.of, *blocks.left_out} == build.campaigns.keys()


def test_what_the_testbed_cannot_answer_is_left_out():
    build = read_build(FILE | MINE | {"testbed": "virtual"})
    blocks = Blocks(build)
    assert "esp-instructions" in blocks.left_out
    assert {*blocks.of, *blocks.left_out} == build.campaigns.keys()


@pytest.mark.parametrize(
    "settings, says",
    [
        (MINE | {"hours": 0.01}, "blocks that are missing"),
        ({"campaign": "virtual-2026-11"}, "released without scenario"),
        ({"profile": "smoke"}, "profile"),
        (
            {"profile": "smoke", "scenarios": {"psk-rsa": "lab-2026-11-23"}},
            "scenarios.psk-rsa: no campaign lab-2026-11-23; did you mean lab-2026-11-22",
        ),
        (
            {"campaign": "lab-2026-11-23"},
            "'lab-2026-11-23' has no blocks yet; did you mean lab-2026-11-22.; say how long to",
        ),
    ],
)
def test_what_does_not_fit_is_refused(settings, says):
    with pytest.raises(UserError, match=says):
        Blocks(read_build(FILE | settings))


def test_a_claim_that_no_trial_can_answer_is_refused_before_measuring(monkeypatch):
    """Nobody asked a study's questions of the blocks that the plan would make."""

    def misspelt(name, profile):
        document = under_profile(read_yaml(scenario_path(name)), profile)
        for part in (document["factors"], document["only"]):
            part["netXwork"] = part.pop("network")
        return Scenario(name, document, profile, "psk_rsa/scenario.yaml")

    monkeypatch.setattr(folder, "load_scenario", misspelt)
    asked = FILE | MINE | {"without": [name for name in scenario_names() if name != "psk-rsa"]}
    with pytest.raises(UserError, match="pratama.yaml: claim .*: no factor 'network'"):
        Blocks(read_build(asked))
