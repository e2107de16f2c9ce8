"""JupyterLab in a browser, as a reader of a fresh clone meets it: the index, and from there the
notebooks; everything runs, and a changed value changes a chart."""

import contextlib
import re
import shutil
import socket
import time
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.slow
expect.set_options(timeout=60_000)
FOLLOWED = {
    "psk_rsa": ('network="impaired"', 'network="normal"'),
    "esp_instructions": ('instructions="aes"', 'instructions="none"'),
    "outage": ('cause="path-10"', 'cause="host-away"'),
}
"""notebook -> the value that a reader changes there, and the new one"""
WRONG = "[data-mime-type*='error'], [data-mime-type*='stderr']"
"""outputs that no notebook should have"""


def answers(address: str) -> bool:
    try:
        return urllib.request.urlopen(address).status == 200
    except (urllib.error.URLError, ConnectionError):
        return False


@pytest.fixture
def lab(built_copy, tmp_path):
    """The address of JupyterLab in a copy of the project, with settings of its own."""
    assert built_copy.run("remeasure", "notebooks")[0] == 0
    shutil.rmtree(built_copy.folder / "results")
    own = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    own += ("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    built_copy.environment |= {name: str(tmp_path / name) for name in own}
    built_copy.environment["JUPYTER_CONFIG_PATH"] = str(built_copy.folder / "env/jupyter")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    # Cells out of sight are on the page, too.
    settings = tmp_path / "JUPYTERLAB_SETTINGS_DIR/@jupyterlab/notebook-extension"
    settings.mkdir(parents=True)
    (settings / "tracker.jupyterlab-settings").write_text('{"windowingMode": "none"}')
    options = f"--no-browser --port={port} --IdentityProvider.token="
    server = built_copy.start("bash", "-c", f"exec jupyter lab {options} >lab.log 2>&1")
    address = f"http://127.0.0.1:{port}/"
    while not answers(address):
        assert server.poll() is None, (built_copy.folder / "lab.log").read_text()
        time.sleep(0.2)
    yield address
    server.terminate()
    server.communicate()


def current(page: Page):
    """The notebook in front."""
    return page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")


def run_all(page: Page) -> None:
    """Run all cells by the menu, and wait for the last or for an error."""
    kernel = current(page).locator(".jp-Notebook-ExecutionIndicator")
    expect(kernel).to_have_attribute("data-status", "idle")
    last = current(page).locator(".jp-CodeCell").last
    done = last.locator(".jp-InputPrompt", has_text=re.compile(r"\[\d+\]:"))
    ended = done.or_(current(page).locator(WRONG)).first
    # JupyterLab drops the order to run while it connects to a kernel: a reader orders it again.
    for _ in range(5):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        with contextlib.suppress(AssertionError):
            expect(ended).to_be_visible(timeout=60_000)
            break
    assert current(page).locator(WRONG).all_inner_texts() == []
    expect(done).to_be_visible()


def confirm(dialog: Locator) -> None:
    """Press the last button of a dialog, which JupyterLab suggests. On a busy machine one may ask
    for a kernel, or tell that none began. If the test fails, pytest shows the dialog's text."""
    print(dialog.inner_text())
    dialog.locator(".jp-Dialog-button").last.click()


def play(page: Page, before: str, after: str) -> None:
    """Change a value in the cell that invites to it, run the cell, and see another chart."""
    cell = current(page).locator(".jp-CodeCell", has_text="play(notebook")
    chart = cell.locator(".jp-OutputArea figure svg")
    drawn = chart.inner_html()
    source = cell.locator(".cm-content")
    text = source.inner_text()
    assert before in text
    source.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text.replace(before, after))
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"))
    level = after.partition("=")[2].strip('"')
    expect(cell.locator("figure .title")).to_contain_text(level)
    assert chart.inner_html() != drawn


def test_a_reader_browses_runs_and_plays(lab, browser):
    page = browser.new_page(viewport={"width": 1280, "height": 1600})
    page.set_default_timeout(60_000)
    page.add_locator_handler(page.locator("dialog.jp-Dialog"), confirm, no_wait_after=True)
    page.goto(lab)
    expect(current(page).get_by_role("heading", name="What we measured")).to_be_visible()
    assert current(page).locator(".jp-OutputArea img").count() > 10
    for name, (before, after) in FOLLOWED.items():
        page.get_by_role("tab", name="index.ipynb").click()
        current(page).locator(f'a[href*="{name}.ipynb"]').click()
        expect(page.get_by_role("tab", name=f"{name}.ipynb")).to_be_visible()
        answer = current(page).locator(".jp-CodeCell").first
        # As it was committed: the answer without its code, before anything ran.
        expect(answer.get_by_text("Valid for")).to_be_visible()
        expect(answer.locator(".cm-content")).to_have_count(0)
        run_all(page)
        expect(answer.get_by_text("Valid for")).to_be_visible()
        play(page, before, after)
    page.close()
