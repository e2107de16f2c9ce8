"""The cautions next to rankings: one text for notebooks, paper and site."""

import json
import re

import pytest

from remeasure.bench.base.paths import ROOT
from remeasure.paper.notebook.cautions import CAUTIONS, as_macros

PAPER = "\n".join(path.read_text() for path in sorted((ROOT / "paper").rglob("*.tex")))
RANKINGS = {
    "ah_esp_ciphers": {"Code", "Suites"},
    "algorithm_sweep": {"Code", "Suites"},
    "eap_methods": {"EapMd"},
    "per_cpu_sas": {"Code"},
}
"""notebook that ranks -> its cautions"""
IN_PAPER = {
    "Suites": r"\\cautionSuites",
    "Code": r"generic C code, so their order says nothing about other hardware",
    "EapMd": r"EAP-MD5 must not be deployed",
}
"""caution -> the words of the paper"""


def test_every_rfc_that_is_named_is_cited_and_in_the_bibliography():
    macros = as_macros("".join(rf"\caution{name}" for name in CAUTIONS))
    named = set(re.findall(r"RFC (\d+)", " ".join(CAUTIONS.values())))
    assert named == set(re.findall(r"RFC~\d+~\\cite\{rfc(\d+)\}", macros))
    entries = set(re.findall(r"\{rfc(\d+),", (ROOT / "paper/refs.bib").read_text()))
    assert named <= entries


def test_the_paper_has_each_caution_in_its_words():
    assert [name for name in CAUTIONS if not re.search(IN_PAPER.get(name, ""), PAPER)] == []


@pytest.mark.parametrize("notebook", RANKINGS)
def test_no_ranking_stands_alone(notebook):
    cells = json.loads((ROOT / f"notebooks/{notebook}/{notebook}.ipynb").read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells)
    (shown,) = re.findall(r"notebook\.beware\((.*)\)", code)
    assert set(re.findall(r'"(\w+)"', shown)) == RANKINGS[notebook]


@pytest.mark.parametrize("name", ["Suites", "EapMd"])
def test_the_guide_says_what_must_not_be_deployed(name):
    assert f"{{{{ caution{name} }}}}" in (ROOT / "site/guide.md").read_text()
