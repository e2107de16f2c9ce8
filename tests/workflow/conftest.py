"""A copy of a build with everything added, built again, and the site in a browser, as `remeasure
site` serves it."""

import shutil

import pytest
from browsing import QUIET
from playwright.sync_api import Page, sync_playwright
from projects import Project
from second_build import SecondBuild, build_again


@pytest.fixture(scope="session")
def built_again(built_project, tmp_path_factory) -> SecondBuild:
    copy = shutil.copytree(built_project.folder, tmp_path_factory.mktemp("again") / "project")
    return build_again(Project(copy))


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
