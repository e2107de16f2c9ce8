"""Shared by tests of the site in a browser."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

AXE = {"resultTypes": ["violations"], "preload": False}  # otherwise it loads style sheets once more

QUIET = [  # no sandbox if tests run as root; nothing that asks a server by itself
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def watched(page: Page, home: str) -> list[str]:
    """A page's messages to the console, and its requests to others, from now on."""
    wrong: list[str] = []
    page.on("console", lambda m: m.type in ("error", "warning") and wrong.append(m.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    own = (home, "data:", "blob:")
    page.on("request", lambda r: r.url.startswith(own) or wrong.append(f"asks {r.url}"))
    return wrong


def violations(page: Page) -> list[str]:
    """The serious ones that axe-core finds."""
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]}"
        for one in Axe().run(page, options=AXE).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
