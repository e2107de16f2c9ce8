"""What My tunnel computes, and the configurations that it shows."""

import itertools
from dataclasses import replace

import pandas as pd
import pytest

from remeasure.analysis.estimates import Estimate
from remeasure.analysis.models.authentication_delay import fit_delays
from remeasure.notebook.tunnel.even_part import EvenlySent, even_part
from remeasure.notebook.tunnel.group_part import IN_PROPOSALS, computing_part, groups_part
from remeasure.notebook.tunnel.set_up import MEASURED_AS, METHODS, set_up_part
from remeasure.notebook.tunnel.size_part import MODES, NAT_T, sizes_part
from remeasure.notebook.tunnel.suite_part import NAMES
from remeasure.notebook.tunnel.windows import gigabit_advice
from remeasure.publish.tunnel.answer import (
    Parts,
    Values,
    proposed,
    speeds,
    window,
)
from remeasure.publish.tunnel.configurations import (
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
)
from remeasure.publish.tunnel.presets import presets
from remeasure.publish.tunnel.sentences import default_texts
from remeasure.publish.tunnel.set_ups import set_up_with, set_ups

EXCHANGED = {"psk": 2, "eap-tls-2-2": 9}
COMPUTING = {"psk": 4.0, "eap-tls-2-2": 18.0}
SENT = {"psk": 1040, "eap-tls-2-2": 6350}
SENT_BY_GROUP = {"x25519": 1000, "ecp256": 1064, "x25519-mlkem768": 3536}
LONGER = {"ecp256": 0.5, "x25519-mlkem768": 2.0}
"""bytes [bytes] and computing beyond X25519 [ms] of groups, with a pre-shared key"""


def delays() -> pd.DataFrame:
    """Trials of two blocks that follow the model."""
    rows = itertools.product((1, 2), EXCHANGED, (0.0, 50.0))
    return pd.DataFrame(
        {
            "block": block,
            "method": method,
            "rtt": rtt,
            "exchanges": EXCHANGED[method],
            "delay": COMPUTING[method] + block / 10 + 1.02 * EXCHANGED[method] * rtt,
        }
        for block, method, rtt in rows
    )


@pytest.fixture(scope="module")
def parts() -> Parts:
    found = {"row": "psk", "level": "50 ms", "value": 105.5, "low": 105.0, "high": 106.0, "n": 2}
    measured = pd.DataFrame([found | {"origin": None}])
    costs = {
        suite: [{"mbit": 8000 / ratio, "ratio": ratio}] for ratio, suite in enumerate(NAMES, 1)
    }
    windows = {"windows": [32, 4096], "at": [1, 20], "measured": [], "allowed": 0.001}
    return Parts(
        windows | {"jitter": [[900.0, 9000.0], [100.0, 1000.0]]},
        set_up_part(fit_delays(delays(), "direct"), EXCHANGED, SENT, measured),
        {"arms": {"masked": {"64": costs}}, "names": NAMES, "libraries": [], "machine": "ours"},
        {
            "levels": {
                "aes": {
                    "chacha20poly1305": {"ratio": 0.5, "text": "0.50 [0.4, 0.6]", "open": False}
                }
            }
        },
        sizes_part(lambda *_: None),
        groups_part(SENT_BY_GROUP),
        computing_part({level: Estimate(ms, ms, ms, 5) for level, ms in LONGER.items()}),
    )


def test_a_set_up_takes_exchanges_times_round_trips_and_computing(parts):
    at_50, at_200 = (
        {row["method"]: row for row in set_ups(parts, Values(rtt=rtt))} for rtt in (50, 200)
    )
    assert at_50["psk"]["text"] == "105.5 [105.0, 106.0]" and at_50["psk"]["measured"]
    assert not at_50["eap-tls-2-2"]["measured"]
    assert at_200["eap-tls-2-2"]["ms"] == pytest.approx(18.15 + 1.02 * 9 * 200)


def test_a_key_exchange_adds_to_x25519_what_it_added_to_a_pre_shared_key(parts):
    def with_(exchange, way="eap-tls"):
        values = Values(way=way, exchange=exchange, rtt=50)
        return set_up_with(parts, values, exchange), default_texts(parts, values)

    hybrid, texts = with_("x25519-ke1_mlkem768")
    assert hybrid.ms == pytest.approx(18.15 + 2 + 1.02 * 10 * 50)
    assert (hybrid.exchanges, hybrid.sent, hybrid.counted) == (10, 6350 + 2536, False)
    assert texts["short-name"] == "EAP-TLS, chains of 2, X25519 and ML-KEM-768 (hybrid): "
    assert (texts["short"], texts["short-source"]) == (
        "530 ms",
        "by the model, from two measurements",
    )
    assert texts["short-sent"] == "10 exchanges of IKE, 8,886 bytes (added from two counts)."
    group, _ = with_("ecp256")
    assert (group.exchanges, group.sent) == (9, 6350 + 64)
    assert group.ms == pytest.approx(18.15 + 0.5 + 1.02 * 9 * 50)
    measured, texts = with_("x25519", "psk")
    assert (measured.source, texts["short-source"]) == ("measured", "measured in our guests")
    assert texts["short-sent"] == "2 exchanges of IKE, 1,040 bytes (counted)."


def test_a_group_or_way_that_was_not_measured_has_no_time(parts):
    assert set_up_with(parts, Values(), "modp4096") is None
    assert set_up_with(parts, Values(way="rsa"), "x25519") is None
    texts = default_texts(parts, Values(exchange="modp4096"))
    assert texts["short"] == texts["takes-modp4096"] == "not measured"
    assert texts["takes-ecp256"] == "107 (model)"


def test_every_way_and_key_exchange_has_its_method():
    assert list(MEASURED_AS) == list(WAYS)
    assert list(EXCHANGES) == list(IN_PROPOSALS.values())
    for ways in MEASURED_AS.values():
        assert "x25519" in ways and set(ways) <= set(EXCHANGES)
        assert set(ways.values()) <= set(METHODS)


def test_speeds_of_a_masked_processor_are_no_advice_for_a_router(parts):
    assert "small router" in default_texts(parts, Values(instructions="none", size=64))["speed"]
    own = Values(instructions="none", size=64, speeds={next(iter(NAMES)): 9.0})
    assert "small router" not in default_texts(parts, own)["speed"]


def test_between_two_delays_of_the_grid_the_longer_one_counts(parts):
    def at(rate, delay):
        return window(parts, Values(rate=rate, size=1000, path="jitter", delay=delay))

    assert at(4, 1) == (32, "model") and at(4, 1.01) == (4096, "model")
    assert at(9, 1.01) == at(0.1, 21) == (None, "beyond")


def test_behind_two_paths_the_law_and_what_was_measured_are_said(parts):
    measured = [
        EvenlySent("skew", 1250, 9287.0, 0.01, 128, True),
        EvenlySent("skew", 1250, 929.0, 0.01, None, False),
    ]
    known = replace(
        parts,
        even=even_part(measured),
        windows=parts.windows | {"windows": [32, 128, 4096], "skew": [[0.0] * 3, [1e3, 1e4, 2e4]]},
    )

    def says(rate, delay=10, path="skew"):
        values = Values(rate=rate, size=1250, path=path, delay=delay)
        return default_texts(known, values)["even"]

    assert "128 are enough" in says(100) and "at 9,287 packets a second and 10 ms: 128" in says(100)
    assert "bursts" not in says(100), "the advice is as wide"
    assert "no window that we tried was enough" in says(10)
    assert "Nothing that we measured there" in says(50)
    assert "4096 are too few" in says(5000) and "asks for more than 4096" in says(5000)
    assert says(100, path="jitter") == says(100, delay=0) == says(100, path="none") == ""
    assert [one.fields["path"] for one in presets(known)] == ["none", "skew"]


def test_the_advice_for_a_gigabit_names_what_is_wide_enough_and_what_not():
    part = {"windows": [32, 4096], "at": [1, 50], "measured": [], "length": 1250}
    says = gigabit_advice(part | {"jitter": [[9e4, 1e5], [0.0, 0.0]]})
    assert says.startswith(
        "We did not measure jitter at 1000 Mbit/s. With 1250 bytes of payload in a packet a model "
        "asks for 4096 packets at 1 ms of jitter and finds no window wide enough at 5, 20 or 50 ms."
    )


def test_a_speed_of_the_reader_s_scales_all_suites(parts):
    first, _, third, _ = NAMES
    own = speeds(parts, Values(instructions="none", speeds={first: 100.0}))
    assert own[first] == [100] and own[third] == [pytest.approx(100 / 3)]
    one, two = (
        Values(instructions="none", size=64, speeds=of)
        for of in ({first: 100.0}, {first: 100.0, third: 300.0})
    )
    assert proposed(parts, one) == first and proposed(parts, two) == third


def test_esp_of_the_kernel_decides_unless_the_reader_has_speeds(parts):
    first, _, third, _ = NAMES
    assert proposed(parts, Values(instructions="aes")) == third
    texts = default_texts(parts, Values(instructions="aes"))
    assert texts["esp"] == (
        "In ESP of the kernel ChaCha20-Poly1305 took 0.50 [0.4, 0.6] times the processor time of "
        "AES-128-GCM."
    )
    assert (texts[f"esp-{first}"], texts[f"esp-{third}"]) == ("1", "0.50 [0.4, 0.6]")
    own = Values(instructions="aes", speeds={first: 100.0, third: 50.0})
    assert proposed(parts, own) == first
    assert "not measured with such" in default_texts(parts, Values())["esp"]


def test_what_was_not_measured_is_said(parts):
    texts = default_texts(parts, Values())
    assert texts[f"mbit-{next(iter(NAMES))}"] == texts["speed"] == "not measured"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("end", ENDS)
def test_a_filled_template_is_the_lab_s_configuration(way, end):
    by_mode = templates()[way][end]
    for mode, natt, suite, exchange in itertools.product(MODES, NAT_T, NAMES, EXCHANGES):
        filled = by_mode[mode]
        encap = ENCAP_LINE if natt == "yes" else ""
        for place, own in (
            (SUITE, suite),
            (EXCHANGE, exchange),
            (WINDOW, "256"),
            (ENCAP, encap),
        ):
            filled = filled.replace(place, own)
        chosen = Chosen(way, end, exchange, suite, 256, mode, natt)
        assert filled == configuration(chosen)
        assert ("encap = yes" in filled) == (natt == "yes") and f"mode = {mode}\n" in filled
        assert ("local_ts" in filled) == (mode == "tunnel")
    assert filled.count("{") == filled.count("}") and "\n    version = 2\n" in filled


def test_comments_fit_a_phone():
    """A comment that wraps looks like a line without its `#`."""
    for way, end, mode in itertools.product(WAYS, ENDS, MODES):
        lines = templates()[way][end][mode].splitlines()
        assert max(len(line) for line in lines if line.startswith("#")) <= 43
        assert "# We measured IPv4, not IPv6." in lines


def test_no_daemon_takes_the_secret_that_everybody_can_read():
    for way, end, mode in itertools.product(WAYS, ENDS, MODES):
        lines = templates()[way][end][mode].splitlines()
        assert all(line.lstrip().startswith("#") for line in lines if "secret = " in line)
    assert "# secret = " in templates()["psk"]["gw2"]["tunnel"]
    assert "secret" not in templates()["rsa"]["gw1"]["tunnel"]
