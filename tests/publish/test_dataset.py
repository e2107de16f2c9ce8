"""The tables made of all scenarios have factors as columns, with columns of numbers."""

import json
import re

import pandas as pd
import pytest

from remeasure.bench.base.columns import RESERVED
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW, ROOT
from remeasure.paper.publish.codebook import SECTIONS, updated
from remeasure.paper.publish.dataset import tidy_tables
from remeasure.paper.publish.dataset.derived_columns import ESTIMATES
from remeasure.paper.publish.dataset.derived_tables import levels_table, numbers_beside
from remeasure.paper.publish.dataset.tidy_tables import package_of
from remeasure.paper.tidy.tables import write_tables


@pytest.fixture(scope="module")
def tidy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tidy") / "replay-window"
    write_tables([RAW / "lab-2026-11-replay/replay-window/block-01.zip"], folder)
    return folder


def test_no_factor_can_have_the_name_of_a_column_of_estimates():
    assert {column.name for column in ESTIMATES.columns} <= RESERVED


def test_numbers_stand_beside_their_levels(tidy):
    table = pd.read_parquet(tidy / "observations.parquet")
    names = list(table.columns)
    assert names[names.index("window") + 1] == "window_packets"
    known = table["window_packets"].dropna()
    assert len(known) and (known == table.loc[known.index, "window"].astype(float)).all()
    assert (table["window"].isna() == table["window_packets"].isna()).all()
    trials = pd.read_parquet(tidy / "trials.parquet")
    assert "window_packets" in trials and "rate_mbit_s" not in trials
    found = {one.column.name: one for one in numbers_beside(tidy)}
    assert found["rate_mbit_s"].values == {"10M": 10, "50M": 50, "100M": 100}
    assert (found["rate_mbit_s"].factor, found["rate_mbit_s"].column.unit) == ("rate", "Mbit/s")


def test_a_program_learns_types_and_units_from_the_package(tidy):
    package = json.loads(package_of(tidy.parent))
    (table,) = (one for one in package["resources"] if one["path"].endswith("observations.parquet"))
    fields = {field["name"]: field for field in table["schema"]["fields"]}
    assert fields["window_packets"]["type"] == "number"
    assert fields["window_packets"]["unit"] == "packets"
    assert "32" in fields["window"]["categories"]


def test_levels_say_what_they_set_and_where_their_number_is(tidy):
    table = levels_table("replay-window", tidy).set_index(["factor", "level"])
    window = table.loc[[("window", "32")]].iloc[0]
    assert (window["value"], window["unit"], window["column"]) == (32, "packets", "window_packets")
    study = table.loc[[("network", "study")]]
    assert list(study["value"]) == [100, 20, 1] and set(study["column"]) == {""}
    assert study["sets"].str.contains("delay 100ms 20ms distribution normal loss random 1%").all()
    auth = table.loc[[("auth", "rsa")]].iloc[0]
    assert auth["sets"] == "tunnel.auth: rsa" and pd.isna(auth["value"])
    assert set(table["campaigns"]) == {"lab-2026-11-replay"}


def test_tables_in_the_repository_stay_where_none_were_built(tmp_path):
    before = sorted(tidy_tables.TIDY.rglob("*"))
    with pytest.raises(UserError, match="found no tables, expected those that the workflow builds"):
        tidy_tables.copy_tables(tmp_path)
    assert sorted(tidy_tables.TIDY.rglob("*")) == before


def test_the_codebook_is_what_the_code_says():
    path = ROOT / "data/README.md"
    assert updated(path.read_text(), path, SECTIONS) == path.read_text(), "run: remeasure codebook"


def test_the_codebook_describes_each_released_campaign():
    text = (ROOT / "data/README.md").read_text()
    table = text.partition("The released campaigns:")[2].partition("## A block")[0]
    released = {manifest.parent.name for manifest in RAW.glob("*/manifest.json")}
    assert released <= set(re.findall(r"`([^`]+)`", table))
