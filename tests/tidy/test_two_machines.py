"""Released blocks, relabelled as if a machine had been started twice: all verdicts stay as they
are."""

import json
import shutil
import zipfile

import pytest

from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign.build import read_build
from remeasure.paper.notebook.results import own
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.tidy.tables import write_tables

TRIALS = {
    "eap-methods": "EapMethods",
    "ah-esp-ciphers": "AhEspCiphers",
    "algorithm-sweep": "Sweep",
    "psk-rsa": "PskRsa",
}
"""scenario of a study -> the class of its notebook that makes the summaries"""
OTHER = {"kernel": "Linux 6.12.0-other x86_64", "node": "n2"}
"""facts of a machine that make no other kind"""


def relabelled(scenario, folder, **machine):
    """Copies of the blocks of the scenario's first campaign, every second one with other facts of
    the machine."""
    campaign = RAW / read_build().campaigns[scenario][0]
    copy = folder / campaign.name
    (copy / scenario).mkdir(parents=True)
    shutil.copy(campaign / "campaign.yaml", copy)
    blocks = sorted((campaign / scenario).glob("block-*.zip"))
    for place, path in enumerate(blocks):
        with (
            zipfile.ZipFile(path) as old,
            zipfile.ZipFile(copy / scenario / path.name, "w", zipfile.ZIP_STORED) as new,
        ):
            for name in old.namelist():
                content = old.read(name)
                if name == "block.json" and place % 2:
                    document = json.loads(content)
                    for session in document["sessions"]:
                        session["machine"] |= machine
                    content = json.dumps(document).encode()
                new.writestr(name, content)
    shutil.copy(campaign / "manifest.json", copy)
    return sorted((copy / scenario).glob("block-*.zip"))


def verdicts(scenario, tidy, blocks, out):
    """Claim -> its verdicts, and the value and interval of each of its questions."""
    notebook = ScenarioNotebook(str(tidy), list(map(str, blocks)), out / Name(scenario).notebook)
    getattr(own(Name(scenario).notebook, "asks"), TRIALS[scenario])(notebook, "mean")
    return {
        entry["id"]: (
            *(
                entry[key]
                for key in ("verdict", "family_wise", "false_discovery", "size", "reason")
            ),
            *((test["value"], test["low"], test["high"], test["n"]) for test in entry["tests"]),
        )
        for entry in notebook.statements().entries
    }


@pytest.mark.slow
@pytest.mark.parametrize("scenario", TRIALS)
def test_two_starts_of_a_machine_leave_the_verdicts_of_one(scenario, tmp_path):
    blocks = relabelled(scenario, tmp_path / "raw", **OTHER)
    write_tables(blocks, tmp_path / "tidy" / scenario)
    found = verdicts(scenario, tmp_path / "tidy" / scenario, blocks, tmp_path / "relabelled")
    assert found == verdicts(scenario, f"data/tidy/{scenario}", [], tmp_path / "released")
    assert sum(verdict not in ("", "not testable") for verdict, *_ in found.values()) > 3
