"""The cautions next to rankings: one text for notebooks, paper and site."""

import json
import re

import pytest

from remeasure.bench.base.paths import ROOT
from remeasure.paper.notebook.cautions import CAUTIONS, as_macros

PAPER = "\n".join(path.read_text() for path in sorted((ROOT / "paper").rglob("*.tex")))
RANKINGS = {
    "ah_esp_ciphers": ({"Code", "Suites"}, "instructions"),
    "algorithm_sweep": ({"Code", "Suites"}, "instructions"),
    "cipher_cost": ({"Suites"}, "instructions"),
    "eap_methods": ({"EapMd"}, "roundtrips"),
    "per_cpu_sas": ({"Code"}, "instructions"),
}
"""notebook that ranks -> its cautions, and the section of the paper with the same"""


def test_every_rfc_that_is_named_is_cited_and_in_the_bibliography():
    macros = as_macros()
    named = set(re.findall(r"RFC (\d+)", " ".join(CAUTIONS.values())))
    assert named == set(re.findall(r"RFC~\d+~\\cite\{rfc(\d+)\}", macros))
    entries = set(re.findall(r"\{rfc(\d+),", (ROOT / "paper/refs.bib").read_text()))
    assert named <= entries


def test_the_paper_has_no_other_caution():
    assert set(re.findall(r"\\caution([A-Z]\w*)", PAPER)) == set(CAUTIONS)


@pytest.mark.parametrize("notebook", RANKINGS)
def test_no_ranking_stands_alone(notebook):
    cautions, section = RANKINGS[notebook]
    cells = json.loads((ROOT / f"notebooks/{notebook}/{notebook}.ipynb").read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells)
    text = (ROOT / f"paper/sections/{section}.tex").read_text()
    (shown,) = re.findall(r"notebook\.beware\((.*)\)", code)
    assert set(re.findall(r'"(\w+)"', shown)) == cautions
    assert cautions <= set(re.findall(r"\\caution([A-Z]\w*)", text))


@pytest.mark.parametrize("name", ["Suites", "EapMd"])
def test_the_guide_says_what_must_not_be_deployed(name):
    assert f"{{{{ caution{name} }}}}" in (ROOT / "site/guide.md").read_text()
