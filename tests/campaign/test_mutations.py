"""Files of ours with one slip of a hand: each is refused in one line, before anything is measured
or built."""

import shutil
from pathlib import Path

import pytest
import yaml

from remeasure.bench.base import topology
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import CONFIG, NOTEBOOKS, PUBLISHED
from remeasure.bench.base.topology import load_topology
from remeasure.bench.campaign import scenario as scenario_file
from remeasure.bench.campaign.register import check_claims
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.claims import published
from remeasure.bench.claims.published import load_published
from remeasure.bench.lab import testbeds
from remeasure.paper.analysis.verdicts.study_tables import Comparison, Rate, Samples

MUTATIONS = yaml.safe_load((Path(__file__).parent / "mutations.yaml").read_text())


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A copy of all files that people write."""
    shutil.copytree(CONFIG, tmp_path / "config")
    shutil.copytree(NOTEBOOKS, tmp_path / "notebooks")
    shutil.copytree(PUBLISHED, tmp_path / "published")
    monkeypatch.setattr(scenario_file, "NOTEBOOKS", tmp_path / "notebooks")
    for module in (topology, testbeds):
        monkeypatch.setattr(module, "CONFIG", tmp_path / "config")
    monkeypatch.setattr(published, "FOLDER", tmp_path / "published")
    return tmp_path


def load(file: str) -> None:
    """Read a file as the commands do that measure, check or build."""
    folder, name = file.rsplit("/", 1)
    if name == "scenario":
        scenario = Name.of_notebook(folder.rpartition("/")[2]).scenario
        check_claims(load_scenario(scenario, "paper"))
    elif folder.endswith("topologies"):
        load_topology(name)
    elif folder.endswith("testbeds"):
        testbeds.load_testbed(name)
    else:
        tables = {"sokol": Rate, "faigl": Samples, "pratama": Comparison}
        for table in load_published(name).tables:
            load_published(name).rows(table, tables[name])
        check_claims(load_scenario(load_published(name).scenario, "paper"))


@pytest.mark.parametrize("slip", MUTATIONS, ids=lambda slip: f"{slip['file']}: {slip['instead']}")
def test_a_slip_is_refused_where_it_is(project, slip):
    load(slip["file"])
    path = project / f"{slip['file']}.yaml"
    text = path.read_text()
    assert slip["found"] in text
    path.write_text(text.replace(slip["found"], slip["instead"], 1))
    with pytest.raises(UserError, match=slip["says"]) as error:
        load(slip["file"])
    assert "\n" not in str(error.value) and ".yaml" in str(error.value)
