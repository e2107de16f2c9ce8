"""Required contents of texts: the processor of a cipher's number, and one factor for 3DES."""

import re

import pytest

from remeasure.bench.base.paths import ROOT

ANSWERS = {"esp_instructions": "espinstructions"}
"""answer -> prefix of its numbers elsewhere"""
WORDS = "Machine|Blocks|Kernel|Best\\w+|Others\\w+"
"""numbers of those notebooks that no processor changes"""
FACTORS = "TripleDes(?!Rate|Cost)\\w+|\\w*CostTripleDes|InGateway"
"""3DES over another suite, or over no IPsec"""


def texts() -> dict[str, list[str]]:
    """Text -> its paragraphs, in which a number is written as in LaTeX."""
    found = {}
    for answer, prefix in ANSWERS.items():
        body = (ROOT / f"notebooks/{answer}/answer.md").read_text().split("---\n", 2)[2]
        found[answer] = re.sub(r"\{(\w+)\}", rf"\\{prefix}\1", body).split("\n\n")
    findings, guide = (
        re.sub(r"\{\{ (\w+) \}\}", r"\\\1", (ROOT / f"site/{page}.md").read_text())
        for page in ("findings", "guide")
    )
    found["findings"] = findings.splitlines()
    # A table belongs to the paragraph before it.
    found["guide"] = re.sub(r"\n\n\|", "\n|", guide).split("\n\n")
    for section in ("abstract", "introduction", "instructions"):
        source = (ROOT / f"paper/sections/{section}.tex").read_text()
        found[section] = re.split(r"\\paragraph|\\item |\n\n", source)
    return found


@pytest.mark.parametrize("name", texts())
def test_a_cipher_s_number_names_its_processor(name):
    for paragraph in texts()[name]:
        for prefix in ANSWERS.values():
            printed = set(re.findall(rf"\\{prefix}([A-Z]\w*)", paragraph))
            values = {one for one in printed if not re.fullmatch(WORDS, one)}
            assert not values or "Machine" in printed, paragraph


@pytest.mark.parametrize("name", texts())
def test_a_text_has_one_factor_for_3des(name):
    text = "\n".join(texts()[name])
    factors = set(
        re.findall(rf"\\(?:{'|'.join(ANSWERS.values())}|algorithmsweep)({FACTORS})", text)
    )
    assert len(factors) <= 1
    assert not re.search("3DES", text) or "not deploy" in text or "not be deployed" in text
