"""The page My tunnel in a browser, against notebooks, the paper's tables, the guide and the one
function that advises a window."""

import json
import re
from urllib.parse import urlencode

import pytest
from browsing import violations, watched
from playwright.sync_api import Page

from remeasure.bench.ipsec.ipsec_tunnel import LARGEST_WINDOW
from remeasure.paper.analysis.models.window_advice import (
    LINE_RATES,
    Passed,
    Traffic,
    advise,
    line_rate,
)
from remeasure.paper.notebook.my_tunnel import passed_of
from remeasure.paper.publish.advisor.page import presets, read_parts

TABLE = [
    Traffic("jitter", rate, 1400, delay, line)
    for rate, line in ((10, 100), (50, 100), (100, 100), (100, 1e3), (1e3, 1e3), (1e3, 1e4))
    for delay in (1, 5, 20, 50)
]
"""rows of the paper's table"""
POINTS = [
    *TABLE[::3],
    Traffic("queue", 1000, 1400, 11.2),
    Traffic("queue", 1000, 1250, 60, 1e4),
    Traffic("queue", 975.11, 1250, 11.1731824),
    Traffic("skew", 100, 1400, 3.8, 1e3),
    Traffic("skew", 92.87, 1250, 10),
    Traffic("jitter", 1000, 1400, 0.001),
    Traffic("jitter", 120, 200, 33.3, 25e3),
    Traffic("none", 1000, 1400, 20),
]
"""readers' questions: measured and not, bounded by a measurement, wide enough and not"""
BEHIND_JITTER = {"path": "jitter", "delay": 20}
SPEED = """\
type             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes  16384 bytes
AES-128-GCM     512345.67k  1412345.67k  2812345.67k  4212345.67k  4912345.67k  5012345.67k
ChaCha20-Poly1305   312345.67k   612345.67k  1312345.67k  2512345.67k  2612345.67k  2712345.67k
"""
"""as `openssl speed -evp` prints it"""


@pytest.fixture(scope="module")
def parts(built_project):
    handed = (built_project.folder / "results/handed").iterdir()
    return read_parts({folder.name: folder for folder in handed})


@pytest.fixture(scope="module")
def passed(parts) -> list[Passed]:
    return passed_of(*parts.values())


@pytest.fixture
def printed(built_project):
    """The numbers that a notebook handed over."""
    return lambda notebook: json.loads(
        (built_project.folder / f"results/handed/{notebook}/numbers.json").read_text()
    )


@pytest.fixture
def table(built_project):
    """The rows of a table of the paper."""

    def read(notebook: str, name: str) -> list[list[str]]:
        path = built_project.folder / f"results/handed/{notebook}/tables/{name}.tex"
        return [line.removesuffix(r" \\").split(" & ") for line in path.read_text().splitlines()]

    return read


def at(**values) -> str:
    """The address of the page with these values."""
    return f"tunnel.html#{urlencode(values)}"


def ask(page: Page, **values) -> None:
    """Give the page that is open other values, as a link to it does."""
    page.evaluate(
        """(hash) => new Promise((done) => {
            if (location.hash === hash) return done();
            addEventListener("hashchange", () => setTimeout(done), { once: true });
            location.hash = hash;
        })""",
        f"#{urlencode(values)}",
    )


def says(page: Page, place: str) -> str:
    return page.locator(f'[data-says="{place}"]').first.text_content() or ""


def test_page_paper_and_guide_advise_as_the_one_function_does(page, site, passed, table, printed):
    page.goto(site + "tunnel.html")
    for traffic in POINTS:
        found = advise(traffic, passed)
        given = {name: getattr(traffic, name) for name in ("path", "rate", "size", "delay")}
        ask(page, **given, line="" if traffic.line is None else f"{traffic.line:.0f}")
        shown = says(page, "window")
        assert shown.removeprefix("Set ").removeprefix("Keep ") == (
            str(found.window or LARGEST_WINDOW)
        ), traffic
        assert page.locator(".tunnel-status").get_attribute("data-source") == found.source, traffic
        narrow = "# passes" in says(page, "configuration")
        assert narrow == (found.window is None), traffic
    by_port: dict[tuple[str, str], list[str]] = {}
    for traffic in TABLE:
        key = (f"{traffic.rate:g}M", f"{traffic.line:.0f}M")
        by_port.setdefault(key, []).append(str(advise(traffic, passed)))
    rows = {
        (rate, port): rest for rate, port, *rest in table("replay_window", "replaywindow-advice")
    }
    assert rows == by_port
    numbers = printed("replay_window") | printed("reordering_causes")
    for macro, traffic in {
        "replaywindowGigabitOne": Traffic("jitter", 1000, 1400, 1),
        "replaywindowGigabitFive": Traffic("jitter", 1000, 1400, 5),
        "replaywindowAdvisedFast": Traffic("jitter", 100, 1400, 20),
        "reorderingcausesGigabitSet": Traffic("queue", 975.11, 1250, 11.1731824),
    }.items():
        assert numbers[macro]["text"] == str(advise(traffic, passed).window), macro
    page.goto(site + "guide.html")
    guide = " ".join(page.locator("article").inner_text().split())
    assert "set 4096 packets at 1 Gbit/s. The rule gives 2048 packets at this" in guide
    least = int(numbers["replaywindowGigabitBeyond"]["text"])
    assert f"From {least} ms of jitter on, no window that Linux allows is enough." in guide
    for delay in (least, 50):
        assert advise(Traffic("jitter", 1000, 1400, delay), passed).window is None
    assert line_rate(1000) == int(numbers["replaywindowGigabitPort"]["text"]) == LINE_RATES[1]


def test_the_page_agrees_with_the_paper(page, site, parts, table, printed):
    methods = {method: rest for method, *rest in table("eap_methods", "eapmethods-methods")}
    page.goto(site + "tunnel.html")
    for column, rtt in enumerate((0, 10, 50), 3):
        ask(page, rtt=rtt)
        shown = [row for row in parts["set_up"]["methods"] if row["method"] in methods]
        assert len(shown) > 3
        for row in shown:
            assert says(page, f"ms-{row['method']}") == methods[row["method"]][column]
    numbers = printed("esp_instructions")
    for level in ("all", "aes", "none"):
        ask(page, instructions=level)
        ratio = numbers[f"espinstructionsChacha{level.title()}"]["text"]
        assert says(page, "esp-chacha20poly1305") == ratio
    numbers = printed("packet_sizes")
    for end, suite in (("Gcm", "aes128gcm16"), ("Cbc", "aes128-sha256")):
        for way, natt in (("", "no"), ("Udp", "yes")):
            ask(page, natt=natt, size=1380)
            assert says(page, "sizes").count("measured") == 2
            for place in ("payload", "segment"):
                value = numbers[f"packetsizes{place.capitalize()}{end}{way}"]["value"]
                assert says(page, f"{place}-{suite}") == f"{value:g}"


def test_every_place_is_filled_and_nobody_else_is_asked(page, site):
    wrong = watched(page, site)
    page.goto(site + at(**BEHIND_JITTER, natt="yes"))
    places = {one.get_attribute("data-says") for one in page.locator("[data-says]").all()}
    empty = {place for place in places if not says(page, place)}
    assert len(places) > 20 and empty == {
        "wrong",
        "pasted",
        "copied",
        "even",
        "first",
        "speed",
        "passes",
    }
    assert not wrong


def test_a_link_brings_the_values_back(page, site, browser):
    page.goto(site + "tunnel.html")
    page.get_by_label("Round trip, ms").focus()
    # "Control+A" selects the contents of a field.
    for key in ("Control+A", "8", "0", "Tab", "5", "Tab", "4", "0"):
        page.keyboard.press(key)
    chosen = {"Packets are reordered": "skew", "Authentication": "eap-ttls"}
    chosen |= {"Gateway to configure": "gw2", "Key exchange": "ecp384", "NAT traversal": "yes"}
    for label, value in chosen.items():
        page.get_by_label(label).select_option(value)
    page.get_by_label("MTU of the path, bytes").fill("1492")
    address = page.evaluate("location.href")
    assert "#rtt=80" in address and "rate=40" in address
    places = ("inputs", "window", "segment", "short-sent", "configuration")
    texts = [says(page, place) for place in places]
    assert "80 ms, 5 % loss, 40 Mbit/s" in texts[0] and "auth = eap-radius" in texts[-1]
    assert "encap = yes" in texts[-1] and "-ecp384\n" in texts[-1]
    other = browser.new_page()
    other.goto(address)
    assert [says(other, place) for place in places] == texts
    page.get_by_label("File").select_option("wg0.conf")
    for name in ("way", "exchange", "mode"):
        assert not page.locator(f"[name={name}]").is_visible(), name
    assert page.get_by_role("button", name="Copy wg0.conf").count()
    assert "wg0.conf of gw2" in says(page, "configuration")
    other.goto(site + "tunnel.html#instructions=perhaps&rate=fast")
    assert "100 Mbit/s" in says(other, "inputs") and "with AES" in says(other, "inputs")
    assert "Instructions = perhaps" in says(other, "wrong")
    other.close()


def test_buttons_set_what_was_measured(page, site, passed):
    page.goto(site + "tunnel.html")
    assert says(page, "window") == "Keep 32"
    found = presets(passed)
    assert len(found) == 4
    for label, fields in found.items():
        page.get_by_role("button", name=label).press("Enter")
        for name, value in fields.items():
            assert page.locator(f"[name={name}]").input_value() == value
        if fields["path"] == "jitter":
            assert says(page, "source") == "measured here"
        elif fields["path"] != "none":
            assert "passed our test" in says(page, "even")
    assert "path=queue" in page.evaluate("location.hash")


def test_the_share_that_loses_a_message_is_the_one_that_was_measured(page, site, printed):
    page.goto(site + at(loss=5))
    share = float(re.search(r"way (\d+) %", says(page, "lost"))[1])
    measured = printed("key_exchange")["keyexchangeShortSlow"]["text"]
    low, high = map(float, re.search(r"\[(.+), (.+)\]", measured).groups())
    assert low <= share <= high


def test_a_pasted_line_of_openssl_is_read(page, site):
    page.goto(site + "tunnel.html")
    page.get_by_label("paste what").fill(SPEED)
    assert "AES-128-GCM: 33,700 Mbit/s (column 1024 bytes)." in says(page, "pasted")
    assert "ChaCha20-Poly1305: 20,100 Mbit/s" in says(page, "pasted")
    assert "33,700 Mbit/s of your core" in says(page, "speed")
    page.get_by_label("Payload of a packet, bytes").fill("70")
    assert "11,300 Mbit/s of your core" in says(page, "speed")
    assert "column 64 bytes" in says(page, "pasted")
    page.get_by_label("paste what").fill("speed")
    assert "No line of" in says(page, "pasted")


def test_the_configuration_is_copied(browser, site):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(site + at(**BEHIND_JITTER, rate=10))
    page.get_by_role("button", name="Copy swanctl.conf").click()
    page.wait_for_function("document.querySelector('[data-says=copied]').textContent")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == says(page, "configuration") and "replay_window = 128\n" in copied
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_for_all_on_a_phone(browser, site, scheme):
    """With a window that is beyond, and with a value that is none, which is named."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    page.goto(site + at(path="queue", rate=1000, delay=60))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(page) == []
    rate = page.get_by_label("Rate of payload, Mbit/s")
    rate.fill("-1")
    assert violations(page) == [] and rate.get_attribute("aria-invalid") == "true"
    assert says(page, "wrong").startswith("Rate of payload, Mbit/s: ")
    assert says(page, "status").startswith("No answer")
    assert not page.locator(".tunnel-answer dl").is_visible()
    rate.fill("10")
    assert says(page, "wrong") == ""
    context.close()


def test_the_site_works_from_files(page, built_project):
    wrong = watched(page, "file:")
    folder = (built_project.folder / "results/site").as_uri()
    page.goto(f"{folder}/{at(**BEHIND_JITTER, rate=50)}")
    assert says(page, "window") == "Set 1024" and not wrong
    page.goto(f"{folder}/index.html")
    page.locator("figure.chart .drawn svg").first.wait_for()
