"""Texts of My tunnel for values in a browser, with parts of a few methods, windows and suites."""

import itertools

import pandas as pd
import pytest

from remeasure.bench.base.family import IPV4, IPV6
from remeasure.bench.base.paths import ROOT
from remeasure.bench.ipsec.kinds.wireguard import WireguardTunnel
from remeasure.bench.ipsec.overhead import IPV4_HEADER, UDP, largest_udp_payload, packet_on_wire
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.models.authentication_delay import fit_delays
from remeasure.paper.analysis.models.window_acceptance import accepted_share
from remeasure.paper.analysis.models.window_advice import Passed, Traffic
from remeasure.paper.notebook.my_tunnel import (
    MEASURED_AS,
    MODES,
    NAMES,
    NAT_T,
    computing_part,
    esp_tunnel,
    groups_part,
    passed_part,
    set_up_part,
    sizes_part,
    window_part,
)
from remeasure.paper.publish.advisor.page import tunnel_texts
from remeasure.paper.publish.findings import NAME

EXCHANGED = {"psk": 2, "eap-tls-2-2": 9}
COMPUTING = {"psk": 4.0, "eap-tls-2-2": 18.0}
SENT = {"psk": 1040, "eap-tls-2-2": 6350}
SENT_BY_GROUP = {"x25519": 1000, "ecp256": 1064, "x25519-mlkem768": 3536}
LONGER = {"ecp256": 0.5, "x25519-mlkem768": 2.0}
"""bytes [bytes] and computing beyond X25519 [ms] of groups, with a pre-shared key"""
PASSED = [
    Passed(Traffic("queue", 975.11, 1250, 11.1731824), 4096, False),
    Passed(Traffic("skew", 92.87, 1250, 10), 128),
]
SHARES = {"32": "50.2", "4096": "100", "8129": "100"}
LATE = {"path": "skew", "rate": 928.68, "size": 1250, "delay": 5, "shares": SHARES}
"""shares that were measured"""
MTUS = (576, 1280, *range(1483, 1501), 9000)
"""a whole block of 16 bytes below the MTU of Ethernet, and other links"""
FIRST, _, THIRD, _ = NAMES
HYBRID = "x25519-ke1_mlkem768"
BEGINS = {"rtt": 50, "rate": 100, "line": 0, "size": 1400, "path": "none", "delay": 1, "mtu": 1500}
BEGINS |= {"instructions": "all", "speeds": {}, "way": "psk", "exchange": "x25519"}
BEGINS |= {"mode": "tunnel", "natt": "no", "end": "gw1", "outer": "IPv4", "inner": "IPv4"}
"""values with which the page begins"""


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
def parts():
    found = {"row": "psk", "rtt": 50.0, "value": 105.5, "low": 105.0, "high": 106.0, "n": 2}
    measured = pd.DataFrame([found | {"origin": None}])
    chacha = {"ratio": 0.5, "text": "0.50 [0.4, 0.6]", "open": False}
    longer = {level: Estimate(ms, ms, ms, 5) for level, ms in LONGER.items()}
    return {
        "windows": window_part([]),
        "even": passed_part(PASSED),
        "late": passed_part([]) | {"shares": [LATE]},
        "set_up": set_up_part(fit_delays(delays(), "direct"), EXCHANGED, SENT, measured),
        "esp": {
            "machine": "Some CPU",
            "rates": {"aes": {FIRST: "200", THIRD: "400"}},
            "levels": {"aes": {"chacha20poly1305": chacha}},
        },
        "sizes": sizes_part(lambda *_: None),
        "groups": groups_part(SENT_BY_GROUP),
        "computing": computing_part(longer),
    }


class Opened:
    """The page with some parts."""

    def __init__(self, page, parts):
        self.page, self.parts = page, parts
        texts, source = tunnel_texts(parts), (ROOT / "site/tunnel.md").read_text()
        page.set_content(NAME.sub(lambda name: texts.get(name[1], ""), source))
        for name in ("tunnel-model", "tunnel-says"):
            page.add_script_tag(path=ROOT / f"site/_static/{name}.js")

    def says(self, **values):
        """Place on the page -> its text for these values."""
        return self.page.evaluate(
            """values => {
                const data = JSON.parse(document.getElementById("tunnel-data").textContent);
                tunnelSays(data).all(values);
                const places = [...document.querySelectorAll("[data-says]")];
                return Object.fromEntries(places.map((one) => [one.dataset.says, one.textContent]));
            }""",
            BEGINS | values,
        )

    def model(self, name, *given):
        return self.page.evaluate("([name, given]) => TunnelModel[name](...given)", [name, given])

    def set_up_with(self, exchange, **values):
        data = self.parts | {"measured_as": MEASURED_AS}
        return self.model("setUpWith", data, BEGINS | values, exchange)

    def sizes(self, asked, suite="aes128gcm16"):
        """The model's result for each of these values."""
        return self.page.evaluate(
            "([parts, asked, suite]) => asked.map((one) => TunnelModel.sizes(parts, one, suite))",
            [self.parts["sizes"], [BEGINS | values for values in asked], suite],
        )


@pytest.fixture(scope="module")
def opened(browser, parts):
    page = browser.new_page()
    yield Opened(page, parts)
    page.close()


def test_a_key_exchange_adds_to_x25519_what_it_added_to_a_pre_shared_key(opened):
    hybrid = opened.set_up_with(HYBRID, way="eap-tls")
    assert hybrid["ms"] == pytest.approx(18.15 + 2 + 1.02 * 10 * 50)
    assert (hybrid["exchanges"], hybrid["sent"], hybrid["source"]) == (10, 6350 + 2536, "added")
    texts = opened.says(way="eap-tls", exchange=HYBRID)
    assert texts["short-name"] == "EAP-TLS, chains of 2, X25519 and ML-KEM-768 (hybrid): "
    assert texts["short"] == "530 ms"
    assert texts["short-source"] == "by the model, from two measurements"
    assert texts["short-sent"] == "10 exchanges of IKE, 8,886 bytes (added from two counts)."
    group = opened.set_up_with("ecp256", way="eap-tls")
    assert (group["exchanges"], group["sent"]) == (9, 6350 + 64)
    assert group["ms"] == pytest.approx(18.15 + 0.5 + 1.02 * 9 * 50)
    texts = opened.says()
    assert texts["short-source"] == "measured in our guests"
    assert texts["short-sent"] == "2 exchanges of IKE, 1,040 bytes (counted)."


def test_esp_of_the_kernel_decides_unless_the_reader_has_both_speeds(opened):
    texts = opened.says(instructions="aes")
    assert texts["suite"] == NAMES[THIRD]
    assert texts["esp"] == (
        "In ESP of the kernel, from host to host on Some CPU, AES-128-GCM carried 200 Mbit/s and "
        "ChaCha20-Poly1305 carried 400. ChaCha20-Poly1305 took 0.50 [0.4, 0.6] times the processor "
        "time. Another processor has another ratio."
    )
    assert (texts[f"esp-{FIRST}"], texts[f"esp-{THIRD}"]) == ("1", "0.50 [0.4, 0.6]")
    one = opened.says(instructions="aes", speeds={FIRST: 100.0})
    assert one["suite"] == NAMES[THIRD] and one["speed"] == ""
    both = opened.says(instructions="aes", speeds={FIRST: 100.0, THIRD: 50.0})
    assert both["suite"] == NAMES[FIRST] and "100 Mbit/s of your core" in both["speed"]
    assert "no small router" in opened.says(instructions="none")["speed"]
    assert "not measured with such" in opened.says()["esp"]


def test_a_window_that_passed_is_set_and_never_called_too_narrow(opened):
    """Behind the queue of our test, at 1 Gbit/s: on the narrowest port, and on a wide one."""
    for line, source, window in (
        (0, "passed our test nearby", "Set 4096"),
        (1e4, "the widest of Linux; bursts may need more", "Set 4096"),
    ):
        texts = opened.says(rate=1000, path="queue", delay=11.2, line=line)
        assert (texts["window"], texts["source"]) == (window, source)
        assert "for packets that leave evenly gives 1024." in texts["even"]
        passed = "At 97,511 packets per second and 11.2 ms a window of 4096 passed our test"
        assert passed in texts["even"]
        assert "replay_window = 4096\n" in texts["configuration"]


@pytest.mark.parametrize(
    ("path", "mode", "cured"),
    [("queue", "tunnel", True), ("queue", "transport", False), ("skew", "tunnel", False)],
)
def test_the_first_cure_for_a_queue_is_to_hide_the_class(opened, path, mode, cured):
    """In transport mode there is no outer header."""
    texts = opened.says(path=path, mode=mode, delay=60, rate=1000, line=1e4)
    assert texts["first"].startswith("First try copy_dscp = no:") == cured
    assert ("\n        # copy_dscp = no\n" in texts["configuration"]) == cured
    cures = opened.page.locator("#tunnel-cures li:visible")
    assert cures.first.text_content().startswith("Set copy_dscp = no") == cured
    widest = "50.0 %" if path == "skew" else "only the preferred class"
    assert f"4096 passes {widest}, and WireGuard's 8192 bits pass 100 % (" in texts["passes"]
    assert f"4096  # passes {widest}\n" in texts["configuration"]
    assert "@" not in texts["configuration"]


@pytest.mark.parametrize("rate", [100, 500, 5000])
def test_a_share_that_passes_is_the_one_of_the_model(opened, rate):
    values = BEGINS | {"rate": rate, "path": "jitter", "delay": 20}
    for window in (32, 512, 4096, 8129):
        share = opened.model("passing", opened.parts["windows"], values, window)
        model = accepted_share(window, rate * 1e6 / 8 / 1400, 0.02)
        assert share == pytest.approx(100 * model, abs=0.1), window


def test_a_share_that_was_measured_is_said(opened):
    texts = opened.says(path="skew", rate=1000, size=1250, delay=5)
    assert "32 passes 50.2 %, 4096 passes 100 %" in texts["passes"]
    assert "(measured in short runs at 928.68 Mbit/s in 1250 bytes, 5 ms)" in texts["passes"]
    assert opened.says(path="skew", rate=100, delay=5)["passes"] == ""


FAMILY = {"IPv4": IPV4, "IPv6": IPV6}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("natt", NAT_T)
@pytest.mark.parametrize("suite", ["aes128gcm16", "aes128-sha256"])
@pytest.mark.parametrize(("inner", "outer"), [("IPv4", "IPv4"), ("IPv4", "IPv6"), ("IPv6", "IPv4")])
def test_sizes_are_those_of_the_formulas(opened, mode, natt, suite, inner, outer):
    tunnel = esp_tunnel(suite, mode, NAT_T[natt])
    way = {"mode": mode, "natt": natt, "inner": inner, "outer": outer}
    inside, outside = FAMILY[inner if mode == "tunnel" else outer], FAMILY[outer]
    for mtu, found in zip(MTUS, opened.sizes([way | {"mtu": m} for m in MTUS], suite), strict=True):
        assert found["payload"] == largest_udp_payload(tunnel, mtu, outside, inside)
        assert found["packet"] == found["payload"] + inside.header + UDP and not found["measured"]
        assert found["segment"] == found["payload"] - 12
    sizes = range(1380, 1420)
    asked = [way | {"size": size} for size in sizes]
    for size, found in zip(sizes, opened.sizes(asked, suite), strict=True):
        assert found["wire"] == packet_on_wire(tunnel, size + UDP + inside.header, outside)
        assert not found["seen"]


@pytest.mark.parametrize(("mtu", "own"), [(1500, 1440), (1492, 1432), (1280, 1220)])
def test_the_file_of_wireguard_has_the_mtu_that_fits(opened, mtu, own):
    ends = {"initiator": "gw1", "responder": "gw2", "link": "wan"}
    tunnel = WireguardTunnel(**ends, mtu=own)
    for size in (64, own - 43, own - 28):
        wire = packet_on_wire(tunnel, size + UDP + IPV4_HEADER)
        texts = opened.says(file="wg0.conf", mtu=mtu, size=size, way="rsa", path="queue")
        assert texts["wire-wireguard"] == str(wire) and wire <= mtu
        assert f"(computed, {wire - size - 28} bytes of overhead)" in texts["wire"]
    assert texts["payload-wireguard"] == str(largest_udp_payload(tunnel, mtu))
    assert f"\nMTU = {own}\n" in texts["configuration"] and "@" not in texts["configuration"]
    assert "does not fit" in opened.says(file="wg0.conf", mtu=mtu, size=own - 27)["wire"]


def test_what_wireguard_does_not_let_you_choose_is_said(opened):
    texts = opened.says(file="wg0.conf", rate=1000, path="queue", delay=60, natt="yes", end="gw2")
    assert texts["status"] == "Replay window: 8192 bits (8129 packets), fixed in WireGuard."
    assert "They take 91 ms at your rate" in texts["even"] and texts["first"] == ""
    assert (texts["suite"], texts["short"]) == ("ChaCha20-Poly1305", "not computed")
    assert "Endpoint" not in texts["configuration"]
    assert not opened.page.locator("#tunnel-cures").is_visible()
    assert "PersistentKeepalive = 25\n" in opened.says(file="wg0.conf", natt="yes")["configuration"]


def test_bytes_that_are_added_are_those_that_were_counted(page, site):
    """The hybrid was counted with three methods. Without these counts the page adds the same."""
    page.goto(site + "tunnel.html")
    for way in ("psk", "ecdsa", "rsa"):
        counted, added = page.evaluate(
            """way => {
                const data = JSON.parse(document.getElementById("tunnel-data").textContent);
                const methods = data.set_up.methods.filter((one) => !one.method.endsWith("-mlkem"));
                const without = { ...data, set_up: { ...data.set_up, methods } };
                const values = { way, rtt: 50 };
                return [data, without].map((of) =>
                    TunnelModel.setUpWith(of, values, "x25519-ke1_mlkem768"));
            }""",
            way,
        )
        assert (counted["source"], added["source"]) == ("measured", "added")
        assert (counted["exchanges"], counted["sent"]) == (added["exchanges"], added["sent"])
        assert added["ms"] == pytest.approx(counted["ms"], abs=3), way
