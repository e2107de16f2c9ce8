"""The codebook says what the code writes."""

import pytest

from remeasure.columns import RESERVED
from remeasure.errors import UserError
from remeasure.paths import ROOT
from remeasure.publish.codebook import SECTIONS, updated

CODEBOOK = ROOT / "data/README.md"


def test_the_codebook_is_what_the_code_says():
    assert updated(CODEBOOK.read_text(), CODEBOOK) == CODEBOOK.read_text(), (
        "make it again: remeasure codebook"
    )


def test_the_codebook_names_every_column():
    assert {f"`{name}`" for name in RESERVED} <= set(SECTIONS["columns"]().split())


def test_a_codebook_without_a_section_is_refused():
    with pytest.raises(UserError, match="README.md: found generated sections .*columns"):
        updated("# Codebook\n", CODEBOOK)
