"""From the paper back to the logs, in a copy of the project that was built_project."""

import json
import re
import subprocess
import sys
import zipfile
from functools import cache
from statistics import fmean, geometric_mean

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.paper.publish.trace.find import Walks
from remeasure.paper.publish.trace.show import as_json, as_text

NUMBERS = {
    "psk_rsa": ["pskrsaIkePskNormal", "pskrsaUdpUpRsaImpaired", "pskrsaIkeDiffNormal"],
    "ah_esp_ciphers": ["ahespciphersEspAhFile", "ahespciphersEspAhCapped"],
    "algorithm_sweep": ["algorithmsweepUdpDrop"],
    "eap_methods": ["eapmethodsTlsEcho", "eapmethodsChainFar", "eapmethods-methods:1:5"],
    "per_cpu_sas": ["percpusasGainOne", "percpusasCostOne"],
    "replay_window": ["replaywindowPassed", "replaywindowAuthRatio"],
    "calibration": ["calibrationByHand", "calibration-bench:1:3", "calibration-bench:3:3"],
    "cipher_cost": ["ciphercostChachaWithOld", "ciphercostMaskingOld"],
    "claims": ["faigl-chain-2-to-4-30pct", "sokol-esp-vs-ah-15pct", "weerawarna-ws08-tcp-peak"],
}
"""what estimates of trials stand behind, some of each notebook"""
COUNTS = {
    "claimsTotal": "ledger.tally()",
    "claimsOpposite": "ledger.tally()",
    "claimsFailed": "ledger.arithmetic()",
}
"""what is counted, not estimated -> the call in a notebook that counts it"""


walks = cache(Walks)


def explained(project, name, rows=3):
    return json.loads(as_json(walks(project.folder).explain(name, rows)))


@pytest.mark.parametrize("name", [name for names in NUMBERS.values() for name in names])
def test_what_the_paper_shows_leads_to_lines_of_raw_logs(built_project, name):
    found = explained(built_project, name)
    assert found["estimates"], found
    assert found["printed"] or "claim" in found["what"]
    for estimate in found["estimates"]:
        assert estimate["lines"], estimate["says"]
        for line in estimate["lines"]:
            assert line["sha256"] == line["released"]
            with zipfile.ZipFile(built_project.folder / line["archive"]) as archive:
                content = archive.read(line["file"])
            if line["line"]:
                assert line["text"] in content.decode().splitlines()[line["line"] - 1]


@pytest.mark.parametrize("name", COUNTS)
def test_a_count_leads_to_the_cell_that_counts(built_project, name):
    found = explained(built_project, name)
    assert COUNTS[name] in found["code"] and not found["estimates"]
    assert found["printed"] and found["words"]


@pytest.mark.parametrize(
    ("name", "line", "of"),
    [
        # The last of the cell, a call over two lines, and one in a loop.
        (
            "psk_rsa:Retransmitted",
            'results.count("Retransmitted"',
            "study pratama, scenario psk-rsa",
        ),
        ("claims:Testable", "ledger.tally()", "the ledger of all studies"),
        ("claims:Confirmed", "ledger.tally()", "the ledger of all studies"),
        ("psk_rsa:Claims", "statements.show", "trials of results/tidy/psk-rsa/trials.parquet"),
    ],
)
def test_the_line_that_hands_a_count_over_is_shown_and_what_it_counts(
    built_project, name, line, of
):
    notebook, _, name = name.partition(":")
    found = explained(built_project, notebook.replace("_", "") + name)
    text = as_text(found, 3)
    (marked,) = [shown for shown in text.splitlines() if shown[:14].strip().endswith(">")]
    assert line in marked, text
    assert of in text


@pytest.mark.parametrize("name", ["renewalRekeyingLost", "renewalRealRekeyingLost"])
def test_a_sum_over_trials_names_trials_and_files(built_project, name):
    (estimate,) = explained(built_project, name)["estimates"]
    assert re.search(r"rows \(\d+ trials\) of results/tidy/renewal/", estimate["from"])
    assert all(line["sha256"] == line["released"] for line in estimate["lines"])


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


def test_a_ratio_of_the_ledger_leads_to_the_logs_of_its_scenario(built_project):
    found = explained(built_project, "claims-forest:claim=udp-up-normal")
    (estimate,) = found["estimates"]
    assert estimate["lines"] and "psk-rsa" in estimate["lines"][0]["archive"]


def test_for_people(built_project):
    status, output = built_project.run(
        "remeasure", "explain", r"\pskrsaIkePskNormal", "--rows", "2"
    )
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


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pskrsaNoSuch", "no number, table, figure or claim of this name"),
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


def test_a_person_who_asks_for_what_is_not_there_sees_one_line(built_project):
    status, output = built_project.run("remeasure", "explain", "pskrsaNoSuch")
    assert status == 1 and len(output.splitlines()) == 1, output
