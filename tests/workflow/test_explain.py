"""From the paper back to the logs, in a copy of the project that was built."""

import json
import re
import subprocess
import sys
from functools import cache
from statistics import fmean, geometric_mean

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.paper.publish.trace.find import Walks
from remeasure.paper.publish.trace.show import NO_ESTIMATE, as_json, as_text

ESTIMATES = [
    *("pskrsaIkePskNormal", "pskrsaIkeDiffNormal", "ahespciphersEspAhCapped"),
    *("eapmethodsChainFar", "eapmethods-methods:1:5", "replaywindowPassedJitter"),
    *("replaywindowWindowCost", "calibration-bench:1:3"),
    *("espinstructionsChachaAll", "claims-forest:claim=udp-up-normal", "renewalRealRekeyingLost"),
    *("faigl-chain-2-to-4-30pct", "weerawarna-ws08-tcp-peak"),
]
"""numbers, cells, marks and claims that estimates of trials stand behind"""
walks = cache(Walks)


def explained(project, name, rows=3):
    return json.loads(as_json(walks(project.folder).explain(name, rows)))


@pytest.mark.parametrize("name", ESTIMATES)
def test_what_the_paper_shows_leads_to_lines_of_raw_logs(built_project, name):
    found = explained(built_project, name)
    assert found["estimates"] and (found["printed"] or "claim" in found["what"])
    for estimate in found["estimates"]:
        assert estimate["lines"], estimate["says"]
        for line in estimate["lines"]:
            assert line["sha256"] == line["released"]
            content = BlockArchive(built_project.folder / line["archive"]).read(line["file"])
            if line["line"]:
                assert line["text"] in content.decode().splitlines()[line["line"] - 1]


@pytest.mark.parametrize(
    ("name", "line", "of"),
    [
        ("pskrsaRekeyingsUntimed", "trials.hand_over()", "study pratama, scenario psk-rsa"),
        ("claimsTestable", "ledger.hand_over()", "the ledger of all studies"),
        ("pskrsaClaims", "statements.show", "trials of results/tidy/psk-rsa/trials.parquet"),
    ],
)
def test_the_line_that_hands_a_count_over_is_shown_and_what_it_counts(
    built_project, name, line, of
):
    found = explained(built_project, name)
    text = as_text(found, 3)
    (marked,) = [shown for shown in text.splitlines() if shown[:14].strip().endswith(">")]
    assert line in marked and of in text and NO_ESTIMATE in text
    assert found["words"] and not found["estimates"]


def test_what_is_computed_shows_all_that_it_is_computed_from(built_project):
    found = explained(built_project, "pskrsa-virtual:1:4")
    (computed,) = found["estimates"]
    real, virtual = computed["made_from"]
    assert real["lines"] and virtual["lines"] and virtual["virtual"]
    assert computed["value"] == pytest.approx(real["value"] - virtual["value"])
    assert "computed from 2 estimates:" in as_text(found, 3)


def test_the_rows_make_the_number(built_project):
    """Mean of a trial, then the geometric mean over blocks."""
    found = explained(built_project, "pskrsaIkePskNormal", rows=100_000)
    (estimate,) = found["estimates"]
    blocks: dict = {}
    for line in estimate["lines"]:
        blocks.setdefault(line["block"], []).append(line["value"])
    assert len(blocks) == estimate["n"]
    assert geometric_mean(map(fmean, blocks.values())) == pytest.approx(estimate["value"])
    assert f"{estimate['value']:.1f}" in found["shows"]


def test_recipes_of_the_codebook_reproduce_what_is_printed(built_project):
    """They run as they are written, without our package: a mean, a verdict and a raw line."""
    recipes = re.findall(r"```python\n(.*?)```", (ROOT / "data/README.md").read_text(), re.DOTALL)
    run = [sys.executable, "-c", "".join(recipes[:3])]
    printed = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in ("pskrsaIkePskNormal", "pskrsaIkeRsaNormal"):
        number = explained(built_project, name)["shows"].split()[0]
        assert re.search(rf"^{name[9:12].lower()} +{number}$", printed, re.MULTILINE), printed
    claim = explained(built_project, "pratama-ike-normal")
    (test,) = claim["estimates"]
    numbers = [f"{test[end]:.3f}" for end in ("value", "low", "high")]
    assert "{} [{}, {}]".format(*numbers) in printed
    assert f"\n{claim['shows']} outside\n" in printed
    line = explained(built_project, "pskrsaIkePskNormal", 100_000)["estimates"][0]["lines"]
    assert printed.splitlines()[-1].partition(" ")[2] in {one["text"] for one in line}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("replaywindow-udp", "expected <table>:<row>:<column>, rows 1 to 7"),
        ("replaywindow-udp:99:1", "the table has 7 rows"),
        ("claims-forest", "row=tcp-up-impaired"),
        ("calibration-pairs:network=normal", "5 marks; expected <figure>:<column>=<value>"),
    ],
)
def test_what_cannot_be_found_is_one_clear_message(built_project, name, message):
    with pytest.raises(UserError) as error:
        walks(built_project.folder).explain(name, 3)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_before_a_build_a_reader_is_told_to_build(tmp_path):
    with pytest.raises(UserError, match="nothing is built yet.* run env/run snakemake --cores 4"):
        Walks(tmp_path).explain("pskrsaIkePskNormal")


def test_for_people(built_project):
    asked = ("remeasure", "explain", r"\pskrsaIkePskNormal", "--rows", "2")
    status, output = built_project.run(*asked)
    assert status == 0
    for part in (
        "paper/sections/roundtrips.tex:",
        "notebooks/psk_rsa/psk_rsa.ipynb, cell",
        "observations.parquet",
        "block 1 trial",
        "as released",
        "more (--rows)",
    ):
        assert part in output, output
    status, output = built_project.run("remeasure", "explain", "pskrsaNoSuch")
    assert status == 1 and len(output.splitlines()) == 1, output
    assert "no number, table, figure or claim of this name" in output
