"""The page Load the data in a browser: rows are chosen, shown, and taken along."""

import csv
import io
from pathlib import Path

import pandas as pd
import pytest
from browsing import watched


def chosen(page) -> pd.DataFrame:
    """The rows of the file that the page offers."""
    with page.expect_download() as download:
        page.locator(".explored a.csv").click()
    return pd.DataFrame(csv.DictReader(io.StringIO(Path(download.value.path()).read_text())))


@pytest.mark.parametrize("home", ["served", "folder"])
def test_rows_are_means_of_trials_as_the_table_has_them(page, site, built_project, home):
    folder = built_project.folder / "results/site"
    home = site if home == "served" else folder.as_uri() + "/"
    wrong = watched(page, home)
    page.goto(home + "data.html")
    page.locator("select[name=network]").select_option("normal")
    page.locator(".explored-chart svg").wait_for()
    rows = chosen(page)
    table = pd.read_parquet(folder / "tables/psk-rsa.parquet")
    [campaign] = set(rows["campaign"])
    table = table[table["campaign"] == campaign]
    asked = "probe == 'ike_restarted' and metric == 'ike_sa' and network == 'normal'"
    table = table.query(f"{asked} and trial_verdict != 'rejected'")
    keys = ["campaign", "clock", "block", "trial"]
    means = table.groupby(keys, observed=True)["value"].mean()
    assert len(rows) == len(means) > 10, "one campaign at first, and one network, as chosen"
    found = rows.astype({"block": int, "trial": int, "value": float}).set_index(keys)["value"]
    assert (found.sort_index() / means.sort_index() - 1).abs().max() < 1e-6
    assert f"{home}tables/psk-rsa.parquet" in page.locator(".in-pandas pre").inner_text()
    page.locator("select[name=scenario]").select_option("calibration")
    page.locator(".in-r pre", has_text="calibration").wait_for()
    assert len(chosen(page)) > 0
    assert wrong == []


def test_a_table_that_a_phone_cuts_says_that_it_scrolls(page, site):
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(site + "data.html")
    page.locator(".explored-table td").first.wait_for()
    page.locator(".scroll-cue:visible + .explored-table").wait_for()
