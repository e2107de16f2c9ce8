"""The codebook's table of metrics is what the probes declare."""

import pytest

from remeasure.errors import UserError
from remeasure.paths import ROOT
from remeasure.publish.codebook import with_metrics


def test_the_codebook_has_the_metrics_that_are_declared():
    text = (ROOT / "data/README.md").read_text()
    assert with_metrics(text, "README.md") == text, "run `env/run remeasure codebook`"


def test_a_codebook_without_marks_is_refused():
    with pytest.raises(UserError, match="README.md: no lines .*between which the table goes"):
        with_metrics("# Codebook", "README.md")
