"""The configurations that My tunnel shows."""

import itertools

import pytest

from remeasure.paper.notebook.my_tunnel import (
    IN_PROPOSALS,
    MEASURED_AS,
    METHODS,
    MODES,
    NAMES,
    NAT_T,
)
from remeasure.paper.publish.advisor.configurations import (
    DSCP,
    ENCAP,
    ENCAP_LINE,
    ENDS,
    EXCHANGE,
    EXCHANGES,
    SUITE,
    WAYS,
    WINDOW,
    Chosen,
    configuration,
    templates,
    wireguard_templates,
)


def test_every_way_and_key_exchange_has_its_method():
    assert list(MEASURED_AS) == list(WAYS)
    assert list(EXCHANGES) == list(IN_PROPOSALS.values())
    for ways in MEASURED_AS.values():
        assert "x25519" in ways and set(ways) <= set(EXCHANGES)
        assert set(ways.values()) <= set(METHODS)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("end", ENDS)
def test_a_filled_template_is_the_lab_s_configuration(way, end):
    by_mode = templates()[way][end]
    for mode, natt, suite, exchange in itertools.product(MODES, NAT_T, NAMES, EXCHANGES):
        filled = by_mode[mode]
        encap = ENCAP_LINE if natt == "yes" else ""
        places = {SUITE: suite, EXCHANGE: exchange, WINDOW: "256", ENCAP: encap, DSCP: ""}
        for place, own in places.items():
            filled = filled.replace(place, own)
        chosen = Chosen(way, end, exchange, suite, 256, mode, natt)
        assert filled == configuration(chosen)
        assert ("encap = yes" in filled) == (natt == "yes") and f"mode = {mode}\n" in filled
        assert ("local_ts" in filled) == (mode == "tunnel")
    assert filled.count("{") == filled.count("}") and "\n    version = 2\n" in filled


def test_no_daemon_takes_the_secret_that_everybody_can_read():
    for way, end, mode in itertools.product(WAYS, ENDS, MODES):
        lines = templates()[way][end][mode].splitlines()
        assert all(line.lstrip().startswith("#") for line in lines if "secret = " in line)
    assert "# secret = " in templates()["psk"]["gw2"]["tunnel"]
    assert "secret" not in templates()["rsa"]["gw1"]["tunnel"]
    for end, natt in itertools.product(ENDS, NAT_T):
        lines = wireguard_templates()[end][natt].splitlines()
        keys = [line for line in lines if "Key = " in line]
        assert [line[:4] for line in keys] == ["# Pr", "# Pu"]
        assert max(len(line) for line in lines) <= 43
