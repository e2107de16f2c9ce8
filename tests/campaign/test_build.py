"""Settings of config/config.yaml and `--config`."""

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import scenario_names
from remeasure.bench.campaign.build import read_build

FILE = {"testbed": "lab", "seed": 1, "scenarios": {"psk-rsa": "first"}}
"""settings of a config.yaml that names a campaign for one scenario"""


@pytest.mark.parametrize(
    ("setting", "campaigns"),
    [
        ({}, {"psk-rsa": ("first",)}),
        ({"campaign": None}, {"psk-rsa": ("first",)}),
        ({"scenarios": {"psk-rsa": ["a", 7], "calibration": None}}, {"psk-rsa": ("a", "7")}),
        ({"without": "psk-rsa"}, {}),
    ],
)
def test_campaigns_of_scenarios(setting, campaigns):
    assert read_build(FILE | setting).campaigns == campaigns


@pytest.mark.parametrize(
    ("campaign", "names"),
    [("mine", ("mine",)), (2026, ("2026",)), ("a,b", ("a", "b")), (["a", "b"], ("a", "b"))],
)
def test_a_campaign_that_is_asked_for_has_every_scenario(campaign, names):
    build = read_build(FILE | {"campaign": campaign, "without": "calibration, eap-methods"})
    every = {*scenario_names()} - {"calibration", "eap-methods"}
    assert build.campaigns == dict.fromkeys(every, names)
    assert next(iter(build.campaigns)) == "psk-rsa"


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"campaign": True}, "campaign: expected a name, or several as a,b (found True)"),
        ({"campaign": "a,b,a"}, "campaign: found 'a' 2 times, expected each name once"),
        ({"campaign": 1.5}, "campaign: expected a name, or several as a,b (found 1.5)"),
        ({"scenarios": {"psk-rsa": {"a": 1}}}, "scenarios.psk-rsa: expected a name"),
    ],
)
def test_a_wrong_setting_is_one_clear_message(setting, message):
    with pytest.raises(UserError) as error:
        read_build(FILE | setting)
    assert str(error.value).startswith(f"config/config.yaml or --config: {message}")
    assert "\n" not in str(error.value)
