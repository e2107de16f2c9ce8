"""Required contents of texts: the processor of a cipher's number, one factor for 3DES, whose law a
window follows, the possible cost of a wide window, the conditions of a leak, and the limits of
the comparison with WireGuard."""

import re

import pytest

from remeasure.bench.base.paths import ROOT
from remeasure.paper.publish.findings import FINDINGS

ANSWERS = {"esp_instructions": "espinstructions", "cipher_cost": "ciphercost"}
"""answer -> prefix of its numbers elsewhere"""
WORDS = "Machine|Blocks|Kernel|Library\\w+|Place\\w+|Best\\w+|Large|Apart|Others\\w+"
"""numbers of those notebooks that no processor changes"""
FACTORS = "TripleDes(?!Rate|Cost)\\w+|\\w*CostTripleDes|InGateway"
"""3DES over another suite, or over no IPsec"""


def texts() -> dict[str, list[str]]:
    """Text -> its paragraphs, in which a number is written as in LaTeX."""
    found = {}
    for answer, prefix in ANSWERS.items():
        body = (ROOT / f"notebooks/{answer}/answer.md").read_text().split("---\n", 2)[2]
        found[answer] = re.sub(r"\{(\w+)\}", rf"\\{prefix}\1", body).split("\n\n")
    found["findings"] = [re.sub(r"\{(\w+)\}", r"\\\1", one) for one in FINDINGS]
    guide = re.sub(r"\{\{ (\w+) \}\}", r"\\\1", (ROOT / "site/guide.md").read_text())
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


OF_A_LEAK = r"route to the far network and no rule that\s+forbids it"
"""conditions for packets to leave in the clear"""
KEPT = [
    ("site/guide.md", r"What we did not measure\n\n- WireGuard and OpenVPN with many peers"),
    ("site/guide.md", r"interval includes 1 declares no winner"),
    ("site/guide.md", r"no small router, no ARM, and no network card"),
    ("site/guide.md", r"Add a firewall rule; we did not measure one"),
    ("site/guide.md", r"WindowCostInterval[^.]*\. The guests were unpinned"),
    ("site/index.md", r"othertunnelsMachine[^|]*BestAll[^|]*BestNone"),
    ("paper/sections/window.tex", r"gouda2000[^.]*\.[^.]*huang2001[^.]*zhao2003[^.]*xia2003"),
    ("paper/sections/window.tex", r"only strongSwan keeps a default"),
    ("paper/sections/window.tex", r"replaywindowWindowCost[^.]*unpinned"),
    ("paper/sections/roundtrips.tex", r"We\s+know\s+of no earlier measurement of how long"),
    ("site/proposal_window.md", r"WindowCost[^.]*\.[^.]*unpinned"),
    ("notebooks/replay_window/answer.md", r"WindowCost[^.]*\.[^.]*unpinned"),
] + [
    (file, rf"(?s)({OF_A_LEAK}.*){{{count}}}")
    for file, count in {
        "README.md": 1,
        "site/guide.md": 3,
        "site/proposal_clear.md": 2,
        "notebooks/outage/answer.md": 2,
        "notebooks/renewal/answer.md": 2,
        "paper/sections/roundtrips.tex": 1,
    }.items()
]
"""(file, pattern that its text must match)"""


@pytest.mark.parametrize(("file", "kept"), KEPT)
def test_a_text_keeps_its_limit(file, kept):
    assert re.search(kept, (ROOT / file).read_text())
