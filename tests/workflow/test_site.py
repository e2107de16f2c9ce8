"""The site in a browser: every page, by itself and on a phone, as `remeasure site` serves it."""

import re
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest
from browsing import violations, watched
from playwright.sync_api import Page

LOOKED_AT = {"notebooks/psk_rsa.html", "notebooks/claims.html", "walks/weerawarna.html"}
"""pages that axe-core checks among pages made by one piece of code: they have the most parts"""
ALIKE = re.compile(r"(notebooks|walks)/(?!index)")
"""pages that one piece of code makes"""
PARTS = "tbody, tr, pre, svg g"
"""elements with parts that the same code makes"""
PARTS_OF_WALKS = f"{PARTS}, section, nav ul"
"""parts of a page of walks"""
THIN_OUT = """(wholes) =>
    document.querySelectorAll(wholes).forEach((whole) => {
        const kept = {};
        [...whole.children].forEach((part) => {
            const alike = part.tagName + part.getAttribute('class');
            kept[alike] = (kept[alike] || 0) + 1;
            if (kept[alike] > 2) part.remove();
        });
    })
"""
"""leaves two of a kind among the parts of each whole: axe-core would look at all of them"""


@pytest.fixture(scope="module")
def folder(built_project) -> Path:
    return built_project.folder / "results/site"


@pytest.fixture(scope="module")
def pages(folder) -> list[str]:
    """Addresses of all pages, relative to the site."""
    paths = (path.relative_to(folder) for path in folder.rglob("*.html"))
    return sorted(path.as_posix() for path in paths if path.parts[0] != "_static")


@pytest.fixture(scope="module")
def texts(folder, pages) -> dict[str, str]:
    return {path: (folder / path).read_text() for path in pages}


def opened(page: Page, address: str) -> None:
    """Open a page, and wait until all its charts are drawn."""
    page.goto(address)
    page.wait_for_function(
        """() => [...document.querySelectorAll('figure.chart script')]
            .every((one) => 'drawn' in one.parentElement.dataset)"""
    )


@pytest.mark.slow
def test_every_page_loads_alone_and_fits_and_is_for_all(browser, site, pages):
    """No error, no request to anyone else, no sideways scroll on a desk or a phone, and no serious
    violation that axe-core finds, on a page of each kind."""
    assert not LOOKED_AT - set(pages)
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
        if path in LOOKED_AT or not ALIKE.match(path):
            page.evaluate(THIN_OUT, PARTS_OF_WALKS if path.startswith("walks/w") else PARTS)
            found[path] += violations(page)
        page.close()
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def test_every_link_leads_somewhere(folder, texts):
    ids = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in texts.items()}
    broken = []
    for path, text in texts.items():
        for link in set(re.findall(r'<a\b[^>]*\bhref="([^"]+)"', text)):
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
    ledger = page.locator(".ledger").first  # predictions are not filtered
    rows = ledger.locator("tbody tr")
    every = rows.count()
    found = " ".join(page.locator(".ledger td:nth-child(3)").all_text_contents())
    assert not re.search("[a-z]_[a-z]", found), "no names of metrics and probes"
    page.get_by_label("study").select_option("pratama")
    page.get_by_label("verdict").select_option("confirmed")
    page.get_by_label("topic").select_option("ike_sa")
    left = ledger.locator("tbody tr:visible")
    assert 0 < left.count() < every
    for row in left.all():
        assert row.get_attribute("data-study") == "pratama"
        assert row.get_attribute("data-verdict") == "confirmed"
        assert " ike_sa " in row.get_attribute("data-topic")
    assert page.locator("tr#pratama-ike-normal").is_visible()
    counted = sum("not counted:" not in row.inner_text() for row in left.all())
    told = f"{left.count()} of {every} rows, {counted} counted"
    assert page.locator("output").inner_text() == told
    page.get_by_label("words").fill("no such words")
    assert left.count() == 0
    # An address leads to a statement that a filter hides.
    page.goto(site)
    page.goto(site + "ledger.html")
    hidden = ledger.locator("tbody tr:not(:visible)").first.get_attribute("id")
    page.goto(f"{site}ledger.html#{hidden}")
    assert page.locator(f"tr#{hidden}").is_visible()
    page.reload()
    assert page.locator(f"tr#{hidden}").is_visible()


def test_without_scripts_the_ledger_and_the_charts_are_there(browser, site):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(site + "ledger.html")
    assert page.locator("tr#pratama-ike-normal").is_visible()
    page.goto(site + "notebooks/psk_rsa.html")
    assert page.locator("figure#answer svg").is_visible()
    page.goto(site + "tunnel.html")
    assert "needs JavaScript" in page.locator("article").inner_text()
    assert not page.locator("form.tunnel").first.is_visible()


def test_every_page_says_what_it_is_and_has_files_of_its_charts(texts):
    """Another test follows each link to a file of a chart."""
    charts = {path: text.count(" data-chart=") for path, text in texts.items()}
    assert charts["index.html"] == 1 and charts["notebooks/psk_rsa.html"] > 3
    assert charts == {path: text.count('class="chart-links"') for path, text in texts.items()}
    said = set(texts) - {"search.html", "genindex.html"}
    description = re.compile(r'<meta name="description" content="([^"]{50,300})">')
    assert [path for path in said if not description.search(texts[path])] == []
