"""The site in a browser: every page, alone and on a phone, as `remeasure site` serves it."""

import re
import shutil
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, sync_playwright

QUIET = [  # no sandbox where tests run as root; nothing that asks a server by itself
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

AXE = {"resultTypes": ["violations"], "preload": False}  # else it loads style sheets once more
THIN_OUT = """
    document.querySelectorAll('tbody, tr, pre, svg g').forEach((whole) => {
        const kept = {};
        [...whole.children].forEach((part) => {
            const alike = part.tagName + part.getAttribute('class');
            kept[alike] = (kept[alike] || 0) + 1;
            if (kept[alike] > 2) part.remove();
        });
    })
"""
"""leaves two of a kind among the rows and columns of a table, the words of code, the marks of a
chart: the others are made by the same code, and axe-core would look at each"""


@pytest.fixture(scope="module")
def folder(built_project) -> Path:
    return built_project.folder / "results/site"


@pytest.fixture(scope="module")
def pages(folder) -> list[str]:
    """Addresses of all pages, relative to the site."""
    paths = (path.relative_to(folder) for path in folder.rglob("*.html"))
    return sorted(path.as_posix() for path in paths if path.parts[0] != "_static")


@pytest.fixture(scope="module")
def site(built_project):
    """The address at which the site is served."""
    process = built_project.start("remeasure", "site", "--port", "0")
    yield process.stdout.readline().split()[0]
    process.terminate()
    process.communicate()


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or pytest.fail("no chromium: run through env/run")
        chromium = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser) -> Page:
    page = browser.new_page()
    yield page
    page.close()


def watched(page: Page, home: str) -> list[str]:
    """What a page says to the console, and whom else it asks, from now on."""
    wrong: list[str] = []
    page.on("console", lambda m: m.type in ("error", "warning") and wrong.append(m.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    own = (home, "data:", "blob:")
    page.on("request", lambda r: r.url.startswith(own) or wrong.append(f"asks {r.url}"))
    return wrong


def opened(page: Page, address: str) -> None:
    """Open a page, and wait until all its charts are drawn."""
    page.goto(address)
    page.wait_for_function(
        """() => [...document.querySelectorAll('figure.chart script')]
            .every((one) => 'drawn' in one.parentElement.dataset)"""
    )


def test_every_page_loads_alone_and_fits_and_is_for_all(browser, site, pages):
    """No error, no request to anyone else, no sideways scroll on a desk or a phone, and no serious
    violation that axe-core finds."""
    assert {"index.html", "ledger.html", "notebooks/psk_rsa.html"} <= set(pages)
    found = {}
    visit = browser.new_context(viewport={"width": 1280, "height": 900})
    for path in pages:
        page = visit.new_page()
        found[path] = watched(page, site)
        opened(page, site + path)
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            needed = page.evaluate("document.documentElement.scrollWidth")
            if needed > width:
                found[path].append(f"{needed} px wide at {width}")
        page.evaluate(THIN_OUT)
        for one in Axe().run(page, options=AXE).response["violations"]:
            if one["impact"] in ("serious", "critical"):
                found[path].append(f"{one['id']}: {one['nodes'][0]['html'][:200]}")
        page.close()
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def test_every_link_leads_somewhere(folder, pages):
    ids = {path: set(re.findall(r'\bid="([^"]+)"', (folder / path).read_text())) for path in pages}
    broken = []
    for path in pages:
        for link in re.findall(r'<a\b[^>]*\bhref="([^"]+)"', (folder / path).read_text()):
            target, fragment = urldefrag(urljoin(f"/{path}", link))
            if target.startswith(("http:", "https:", "mailto:")):
                continue
            file = target.lstrip("/") or "index.html"
            if not (folder / file).exists() or (
                fragment and file in ids and fragment not in ids[file]
            ):
                broken.append(f"{path}: {link}")
    assert not broken


def test_the_ledger_is_filtered(page, site):
    page.goto(site + "ledger.html")
    rows = page.locator(".ledger tbody tr")
    every = rows.count()
    page.get_by_label("study").select_option("pratama")
    page.get_by_label("verdict").select_option("confirmed")
    page.get_by_label("topic").select_option("ike_sa")
    left = page.locator(".ledger tbody tr:visible")
    assert 0 < left.count() < every
    for row in left.all():
        assert row.get_attribute("data-study") == "pratama"
        assert row.get_attribute("data-verdict") == "confirmed"
        assert " ike_sa " in row.get_attribute("data-topic")
    assert page.locator("tr#pratama-ike-normal").is_visible()
    assert page.locator("output").inner_text() == f"{left.count()} of {every} statements"
    page.get_by_label("words").fill("no such words")
    assert page.locator(".ledger tbody tr:visible").count() == 0


def test_without_scripts_the_ledger_and_the_charts_are_there(browser, site):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(site + "ledger.html")
    assert page.locator("tr#pratama-ike-normal").is_visible()
    page.goto(site + "notebooks/psk_rsa.html")
    assert page.locator("figure#answer svg").is_visible()


def test_sliders_set_rate_and_jitter(page, site):
    opened(page, site + "window.html")
    assert "100 Mbit/s, jitter 20 ms" in page.locator("figure#window").inner_text()
    page.locator("input[name=rate]").fill("9")
    assert "1000 Mbit/s, jitter 20 ms" in page.locator("figure#window").inner_text()
    assert "set: none is wide enough" in page.locator("figure#window").inner_text()
    page.locator("input[name=rate]").fill("6")
    assert re.search(r"set: \d+ \(measured\)", page.locator("figure#window").inner_text())


def test_a_mark_says_what_it_shows(page, site):
    opened(page, site + "notebooks/psk_rsa.html")
    figure = page.locator("figure#pskrsa-ratios")
    assert figure.locator("svg.marks").count() == 1
    figure.locator(".mark-symbol path").first.hover(force=True)
    assert page.locator("#vg-tooltip-element").inner_text().strip()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Pre-shared key or certificates?", "longer to set up"),
        ("Which anti-replay window?", "packets"),
        ("Which cipher?", "AES-GCM"),
    ],
)
def test_the_first_page_answers(page, site, question, answer):
    page.goto(site)
    card = page.locator(".sd-card", has_text=question)
    assert answer in card.inner_text() and "Valid for" in card.inner_text()
