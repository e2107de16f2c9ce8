"""The codebook describes the code's output."""

from remeasure.bench.base.paths import ROOT
from remeasure.paper.publish.codebook import SECTIONS, updated

CODEBOOK = ROOT / "data/README.md"


def test_the_codebook_is_what_the_code_says():
    assert updated(CODEBOOK.read_text(), CODEBOOK, SECTIONS) == CODEBOOK.read_text(), (
        "make it again: remeasure codebook"
    )
