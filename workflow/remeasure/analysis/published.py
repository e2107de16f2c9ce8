"""What a study published, read from data/published/<study>.yaml."""

from typing import Literal

import pandas as pd

from remeasure import config
from remeasure.analysis.claims import Claim
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


class Rate(config.Strict):
    """One row of study sokol's tables: transfer rates of a suite."""

    suite: str
    mode: Literal["tunnel", "transport"]
    test_1: float
    """Mbit/s, 500 files"""
    test_2: float
    """Mbit/s, one file"""


class Samples(config.Strict):
    """One row of study faigl's table: profiler samples on the initiator."""

    method: str
    libcrypto: int
    libc: int
    vmlinux: int
    yenta: int

    @property
    def authentication(self) -> int:
        """all but yenta's, which are of no authentication"""
        return self.libcrypto + self.libc + self.vmlinux


class Published(config.Strict):
    """The numbers and statements of one study."""

    study: str
    reference: str
    scenario: str
    comparisons: list[Comparison] = []
    rates: list[Rate] = []
    samples: list[Samples] = []
    groups: dict[str, dict[str, list[str | int]]] = {}
    """factor -> name -> levels, for claims"""
    printed: dict[str, int | float] = {}
    """figure of <study>-recomputed.json -> the number printed for it"""
    claims: list[Claim] = []


def load_published(study: str) -> Published:
    """Raises UserError."""
    return config.load(Published, ROOT / "data" / "published" / f"{study}.yaml")


def comparison_table(published: Published) -> pd.DataFrame:
    """One row a comparison, columns as the fields of Comparison."""
    return pd.DataFrame([row.model_dump() for row in published.comparisons])
