"""What a study published, read from data/published/<study>.yaml."""

from typing import Literal

import pandas as pd

from remeasure import config
from remeasure.paths import ROOT


class Comparison(config.Strict):
    """One row of a study's table: a metric in the two arms."""

    id: str
    probe: str
    metric: str
    unit: str
    network: Literal["normal", "impaired"]
    psk: float
    rsa: float
    p: float
    """as printed"""
    significant: bool
    """as the study declared it"""
    notes: str = ""


class Published(config.Strict):
    """The numbers of one study."""

    study: str
    reference: str
    scenario: str
    comparisons: list[Comparison]


def load_published(study: str) -> Published:
    """Raises UserError."""
    return config.load(Published, ROOT / "data" / "published" / f"{study}.yaml")


def comparison_table(published: Published) -> pd.DataFrame:
    """One row a comparison, columns as the fields of Comparison."""
    return pd.DataFrame([row.model_dump() for row in published.comparisons])
