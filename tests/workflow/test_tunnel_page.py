"""The page My tunnel in a browser, against the model, the paper's tables and Python's answer."""

import json
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import watched
from playwright.sync_api import Page

from remeasure.analysis.models.two_paths import advise_for_skew
from remeasure.analysis.models.window_advice import Advice, advise
from remeasure.notebook.tunnel.windows import advised, measured_of
from remeasure.publish.site.tunnel_page import read_parts
from remeasure.publish.tunnel.answer import Parts, Values, number, proposed, span, speeds
from remeasure.publish.tunnel.configurations import EXCHANGES, Chosen, configuration
from remeasure.publish.tunnel.evenly import nearest
from remeasure.publish.tunnel.presets import presets
from remeasure.publish.tunnel.sentences import default_texts
from remeasure.publish.tunnel.set_ups import set_up_with, set_ups
from remeasure.publish.tunnel.what_fits import sizes

behind_jitter = partial(Values, path="jitter", delay=20)
"""values of a reader, at the jitter that was measured"""
POINTS = [
    Values(),
    behind_jitter(),
    behind_jitter(rtt=0, rate=10, exchange="modp4096", natt="yes"),
    behind_jitter(rtt=10, rate=50, exchange="x25519-ke1_mlkem768"),
    behind_jitter(
        rtt=80, rate=100, delay=1, instructions="none", exchange="ecp256", mode="transport"
    ),
    behind_jitter(rtt=5, rate=1000, delay=1, size=1408, instructions="aes", natt="yes"),
    behind_jitter(rtt=200, rate=1000, delay=20, size=1439, mode="transport"),
    behind_jitter(rtt=10, rate=100, size=200, delay=5, speeds={"aes128gcm16": 8000.0}),
    Values(
        rtt=33.5, rate=1000, path="none", instructions="none", speeds={"chacha20poly1305": 900.0}
    ),
    behind_jitter(rtt=50, rate=30, delay=15, way="eap-tls", exchange="x25519-ke1_mlkem768"),
    behind_jitter(rtt=80, rate=50, way="rsa-4", exchange="mlkem768", mode="transport", natt="yes"),
    Values(rtt=0, rate=100, path="skew", delay=5, mtu=1492),
    Values(rtt=50, rate=1000, path="skew", delay=50, mtu=9000, size=8000, natt="yes"),
    Values(rtt=50, rate=100, size=1250, path="queue", delay=10),
    Values(rate=92.87, size=1250, path="skew", delay=10),
    Values(rate=1000, size=1250, path="queue", delay=11),
]
"""what readers ask: measured and not, bounded by a measurement, wide enough and not"""
SPEED = """\
type             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes  16384 bytes
AES-128-GCM     512345.67k  1412345.67k  2812345.67k  4212345.67k  4912345.67k  5012345.67k
ChaCha20-Poly1305   312345.67k   612345.67k  1312345.67k  2512345.67k  2612345.67k  2712345.67k
"""
"""as `openssl speed -evp` prints it"""


@pytest.fixture(scope="module")
def parts(built_project) -> Parts:
    handed = (built_project.folder / "results/handed").iterdir()
    return read_parts({folder.name: folder for folder in handed})


@pytest.fixture
def table(built_project):
    """The rows of a table of the paper: first field -> the others."""

    def read(notebook: str, name: str) -> dict[str, list[str]]:
        path = built_project.folder / f"results/handed/{notebook}/tables/{name}.tex"
        rows = (line.removesuffix(r" \\").split(" & ") for line in path.read_text().splitlines())
        return {first: rest for first, *rest in rows}

    return read


def at(values: Values) -> str:
    """The address of the page with these values."""
    fields = {
        "rtt": values.rtt,
        "rate": values.rate,
        "size": values.size,
        "path": values.path,
        "delay": values.delay,
        "instructions": values.instructions,
        "gcm": values.speeds.get("aes128gcm16", ""),
        "chacha": values.speeds.get("chacha20poly1305", ""),
        "way": values.way,
        "exchange": values.exchange,
        "mode": values.mode,
        "natt": values.natt,
        "mtu": values.mtu,
    }
    return f"tunnel.html#{urlencode(fields)}"


def says(page: Page, place: str) -> str:
    return page.locator(f'[data-says="{place}"]').first.text_content() or ""


def by_the_model(parts: Parts, values: Values) -> Advice:
    if values.path == "none":
        return Advice(32)
    if values.path in ("skew", "queue"):
        return advise_for_skew(values.per_second, values.delay / 1e3)
    return advise(values.per_second, values.delay / 1e3, measured_of(parts.windows))


@pytest.mark.parametrize("values", POINTS, ids=at)
def test_the_page_says_what_the_models_say(page, site, parts, values):
    wrong = watched(page, site)
    page.goto(site + at(values))
    found = by_the_model(parts, values)
    shown = says(page, "window")
    assert shown == (f"{found.window} packets" if found.window else "No window is wide enough")
    assert (says(page, "source") == "measured here") == found.measured
    assert page.locator("#tunnel-beyond").is_visible() == (found.window is None)
    for row in set_ups(parts, values):
        mark = "" if row["measured"] else " (model)"
        assert says(page, f"ms-{row['method']}") == row["text"] + mark
    by_suite = speeds(parts, values)
    for suite, speed in by_suite.items():
        assert says(page, f"mbit-{suite}").split(" (")[0] == span(speed)
    for place, text in default_texts(parts, values).items():
        assert says(page, place) == text, place
    suite, window = proposed(parts, values), found.window or 4096
    chosen = Chosen(values.way, "gw1", values.exchange, suite, window, values.mode, values.natt)
    text = configuration(chosen)
    assert says(page, "configuration").replace("  # too narrow", "") == text
    assert not wrong


def test_the_page_agrees_with_the_paper(page, site, parts, table, built_project):
    for rate, texts in table("replay_window", "replaywindow-advice").items():
        for jitter, text in zip((1, 5, 20, 50), texts, strict=True):
            values = behind_jitter(rate=float(rate.rstrip("M")), delay=jitter)
            window, source = advised(parts.windows, "jitter", values.per_second, jitter)
            assert str(Advice(window, source == "measured")) == text, (rate, jitter)
    methods = table("eap_methods", "eapmethods-methods")
    for column, rtt in enumerate((0, 10, 50), 3):
        page.goto("about:blank")
        page.goto(site + at(Values(rtt=rtt)))
        shown = [row for row in parts.set_up["methods"] if row["method"] in methods]
        assert len(shown) > 3
        for row in shown:
            assert says(page, f"ms-{row['method']}") == methods[row["method"]][column]
    path = built_project.folder / "results/handed/cipher_cost/numbers.json"
    printed = json.loads(path.read_text())
    for arm, name in (("as-they-are", "With"), ("masked", "Without")):
        entries = parts.suites["arms"][arm]["1408"]["chacha20poly1305"]
        for entry, version in zip(entries, ("Old", "New"), strict=True):
            ends = printed[f"ciphercostChacha{name}{version}"]
            assert ends["low"] <= entry["ratio"] <= ends["high"]


def test_sizes_are_those_of_the_notebook(parts, built_project):
    path = built_project.folder / "results/handed/packet_sizes/numbers.json"
    printed = json.loads(path.read_text())
    for end, suite in (("Gcm", "aes128gcm16"), ("Cbc", "aes128-sha256")):
        for way, natt in (("", "no"), ("Udp", "yes")):
            found = sizes(parts, Values(natt=natt, size=1380), suite)
            assert found.measured and found.seen
            assert found.payload == printed[f"packetsizesPayload{end}{way}"]["value"]
            assert found.segment == printed[f"packetsizesSegment{end}{way}"]["value"]


def test_bytes_that_are_added_are_those_that_were_counted(parts):
    """The hybrid was counted with three methods. Without these counts the page adds the same."""
    hybrid = "x25519-ke1_mlkem768"
    methods = parts.set_up["methods"]
    plain = [one for one in methods if not one["method"].endswith("-mlkem")]
    without = replace(parts, set_up=parts.set_up | {"methods": plain})
    for way in ("psk", "ecdsa", "rsa"):
        values = Values(way=way, rtt=50)
        counted, added = (set_up_with(of, values, hybrid) for of in (parts, without))
        assert (counted.source, added.source) == ("measured", "added")
        assert (counted.exchanges, counted.sent) == (added.exchanges, added.sent)
        assert added.ms == pytest.approx(counted.ms, abs=3), way
    assert all(set_up_with(parts, Values(), one) for one in EXCHANGES)


def test_a_jitter_of_microseconds_asks_for_less_than_a_tenth_of_a_millisecond(parts):
    per_second = Values(rate=1000).per_second
    windows = [advised(parts.windows, "jitter", per_second, ms)[0] for ms in (0, 0.001, 0.1)]
    assert windows == sorted(set(windows))


def test_the_grid_says_what_the_models_say(parts):
    """At delays of the grid and rates of links. Where the model asks for more behind a short delay
    than behind a longer one, the grid has what the longer one asks for."""
    for delay in parts.windows["at"][::3]:
        for rate in (3, 40, 300, 2000):
            values = Values(rate=rate, delay=delay, path="jitter")
            window, _ = advised(parts.windows, "jitter", values.per_second, delay)
            model = by_the_model(parts, values).window
            assert window == model or (delay < 1 and window <= model)
            window, _ = advised(parts.windows, "skew", values.per_second, delay)
            model = advise_for_skew(values.per_second, delay / 1e3).window
            assert window == model or (delay < 5 and window <= model)


def test_without_scripts_the_page_begins_with_the_same_answer(browser, page, site):
    still = browser.new_context(java_script_enabled=False).new_page()
    still.goto(site + "tunnel.html")
    page.goto(site + "tunnel.html")
    places = page.locator("[data-says]")
    assert places.count() > 20
    for place in {one.get_attribute("data-says") for one in places.all()}:
        if place not in ("wrong", "pasted", "copied", "even"):
            assert says(still, place) == says(page, place) != "", place
    assert still.locator(".tunnel-answer").is_visible()
    assert not still.locator("form.tunnel").is_visible()


def test_a_link_brings_the_values_back(page, site, browser):
    page.goto(site + "tunnel.html")
    page.get_by_label("Round trip, ms").focus()
    for key in ("Control+A", "8", "0", "Tab", "4", "0"):  # selects what stands in a field
        page.keyboard.press(key)
    page.get_by_label("Packets are reordered").select_option("skew")
    page.get_by_label("Authentication").select_option("eap-ttls")
    page.get_by_label("Gateway to configure").select_option("gw2")
    page.get_by_label("Key exchange").select_option("ecp384")
    page.get_by_label("NAT traversal").select_option("yes")
    page.get_by_label("MTU of the path, bytes").fill("1492")
    address = page.evaluate("location.href")
    assert "#rtt=80" in address and "rate=40" in address
    places = ("inputs", "window", "segment", "short-sent", "configuration")
    texts = [says(page, place) for place in places]
    assert "80 ms, 40 Mbit/s" in texts[0] and "auth = eap-radius" in texts[-1]
    assert "encap = yes" in texts[-1] and "-ecp384\n" in texts[-1]
    other = browser.new_page()
    other.goto(address)
    assert [says(other, place) for place in places] == texts
    other.goto(site + "tunnel.html#instructions=perhaps&rate=fast")
    assert "100 Mbit/s" in says(other, "inputs") and "with AES" in says(other, "inputs")
    assert "Instructions = perhaps" in says(other, "wrong")
    other.close()


def test_behind_two_paths_the_page_says_what_was_measured(parts, built_project):
    """As the notebook says it: of what readers ask nearby, and at 1 Gbit/s."""
    path = built_project.folder / "results/handed/reordering_causes/numbers.json"
    printed = json.loads(path.read_text())
    for name, kind, delay in (("Paths", "skew", 10), ("Priority", "queue", 11)):
        for rate, place in ((100, "Enough"), (1000, "GigabitEnough")):
            values = Values(rate=rate, size=1250, path=kind, delay=delay)
            enough = nearest(parts, values)["enough"]
            assert str(enough) == printed[f"reorderingcauses{place}{name}"]["text"]
            text = default_texts(parts, values)["even"]
            assert f"{enough} was the narrowest window tried" in text and "bursts" in text
            advised_there = by_the_model(parts, values).window
            assert advised_there is None or advised_there >= enough


def test_buttons_set_what_was_measured(page, site, parts):
    page.goto(site + "tunnel.html")
    assert says(page, "window") == "32 packets"
    found = presets(parts)
    assert len(found) == 4
    for preset in found:
        page.get_by_role("button", name=preset.label).press("Enter")
        for name, value in preset.fields.items():
            assert page.locator(f"[name={name}]").input_value() == value
        if preset.fields["path"] == "jitter":
            assert says(page, "source") == "measured here"
        elif preset.fields["path"] != "none":
            assert "was the narrowest window tried" in says(page, "even")
    assert "path=queue" in page.evaluate("location.hash")
    page.get_by_role("link", name="swanctl.conf for these values").press("Enter")
    assert page.evaluate("document.activeElement.textContent").startswith("swanctl.conf")
    assert "path=queue" in page.evaluate("location.hash")


def test_a_pasted_line_of_openssl_is_read(page, site, parts):
    page.goto(site + "tunnel.html")
    page.get_by_label("paste what").fill(SPEED)
    assert says(page, "mbit-aes128gcm16") == f"{number(4212345.67 * 8 / 1e3)} (yours)"
    assert says(page, "mbit-chacha20poly1305") == "20,100 (yours)"
    page.get_by_label("Payload of a packet, bytes").fill("70")
    assert says(page, "mbit-aes128gcm16") == "11,300 (yours)"
    assert "column 64 bytes" in says(page, "pasted")
    page.get_by_label("paste what").fill("speed")
    assert "No line of" in says(page, "pasted")


def test_what_is_no_value_is_named(page, site):
    page.goto(site + at(behind_jitter()))
    page.get_by_label("Rate of payload, Mbit/s").fill("-1")
    assert says(page, "wrong").startswith("Rate of payload, Mbit/s: ")
    assert page.get_by_label("Rate of payload, Mbit/s").get_attribute("aria-invalid") == "true"
    assert says(page, "inputs").startswith("These are not your values")
    assert not page.locator(".tunnel-answer dl").is_visible()
    page.get_by_label("Rate of payload, Mbit/s").fill("10")
    assert says(page, "wrong") == "" and says(page, "window") == "128 packets"


def test_the_configuration_is_copied(browser, site):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(site + at(behind_jitter(rate=10)))
    page.get_by_role("button", name="Copy swanctl.conf").click()
    page.wait_for_function("document.querySelector('[data-says=copied]').textContent")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == says(page, "configuration") and "replay_window = 128\n" in copied
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_for_all_on_a_phone(browser, site, scheme):
    """With a window that is beyond, and with a value that is none."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    page.goto(site + at(POINTS[5]))
    for step in (None, "-1"):
        if step:
            page.get_by_label("Rate of payload, Mbit/s").fill(step)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False})
        serious = [
            f"{one['id']}: {one['nodes'][0]['html'][:200]}"
            for one in found.response["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == []
    context.close()


def test_charts_are_drawn_from_a_file(browser, built_project):
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto((built_project.folder / "results/site/index.html").as_uri())
    page.locator("figure.chart .drawn svg").first.wait_for()
    assert page.evaluate("document.querySelector('figure.chart').scrollWidth") <= 390
    page.close()


def test_the_page_works_from_a_file(page, built_project):
    wrong = watched(page, "file:")
    folder = built_project.folder / "results/site"
    page.goto(folder.as_uri() + "/" + at(behind_jitter(rate=50)))
    assert says(page, "window") == "1024 packets" and not wrong


def test_the_page_holds_no_number_that_is_none(built_project):
    """NaN is no JSON: a browser would read nothing."""
    for path in (built_project.folder / "results/handed").glob("*/tunnel.json"):
        json.loads(path.read_text(), parse_constant=pytest.fail)
