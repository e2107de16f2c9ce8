"""Rows of tables that studies printed, and the comparisons of Pratama 2025 next to ours."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from remeasure.bench.claims.published import Published, StudyRow, load_published
from remeasure.paper.analysis.estimates import (
    Estimate,
    Estimates,
    contrast_estimates,
    is_geometric,
    mean_estimate,
)
from remeasure.paper.analysis.summaries import paired
from remeasure.paper.analysis.texts import estimate_text, p_text
from remeasure.paper.analysis.verdicts.answers import Summaries
from remeasure.paper.analysis.verdicts.bayes_factors import bayes_factor, evidence_text

ARMS = ["psk", "rsa"]
_Count = Annotated[int, Field(ge=0, lt=1_000_000)]
_FIELDS = {"": "value", "_low": "low", "_high": "high", "_origin": "origin"}
"""suffix of a column of an estimate -> the estimate's field"""


class Samples(StudyRow):
    """Faigl: profiler samples of one method on the initiator, by library or kernel."""

    key: ClassVar = (("method",),)
    method: str
    libcrypto: _Count
    libc: _Count
    vmlinux: _Count
    yenta: _Count

    @property
    def authentication(self) -> int:
        """Samples of authentication: all but the samples of yenta, a driver."""
        return self.libcrypto + self.libc + self.vmlinux


class Rate(StudyRow):
    """Sokol: transfer rates of a suite (tables I and II)."""

    key: ClassVar = (("suite",), ("mode",))
    suite: str
    mode: Literal["tunnel", "transport"]
    test_1: float = Field(gt=0, lt=1_000_000)
    """rate of test I, 500 files [Mbit/s]"""
    test_2: float = Field(gt=0, lt=1_000_000)
    """rate of test II, one file [Mbit/s]"""


class Comparison(StudyRow):
    """Pratama: a metric with a pre-shared key and with RSA, on one network."""

    key: ClassVar = (("probe", "metric"), ("network",))
    id: str
    probe: str
    metric: str
    unit: str
    network: Literal["normal", "impaired"]
    psk: float = Field(ge=0, lt=1_000_000)
    rsa: float = Field(ge=0, lt=1_000_000)
    p: float = Field(ge=0, le=1)
    """p value, as the study printed it"""
    significant: bool
    """True if the study declared the difference significant"""
    within: Literal["mean", "median"] = "mean"
    """estimator of a trial's value from its readings (claims.questions)"""
    notes: str = ""


def comparison_table(study: Published) -> pd.DataFrame:
    """One row for each comparison; columns are the fields of Comparison. Raises UserError."""
    return pd.DataFrame([row.model_dump() for row in study.rows("comparisons", Comparison)])


def compare_arms(summaries: Summaries, published: pd.DataFrame) -> pd.DataFrame:
    """One row per published comparison, with this project's estimates. `published` has columns id,
    probe, metric, unit, network, within, psk, rsa, p. Added columns: n (pairs, one per block);
    ours_psk, ours_rsa, diff, ratio (NaN if a value is 0 or below), each with _low, _high and
    _origin; p_t (of the difference; below 0.05 exactly if diff's interval excludes 0), p_holm (over
    all comparisons), bayes_factor (of the ratio, or else of the difference)."""
    from pingouin import multicomp

    rows = []
    for row in published.itertuples():
        pairs = paired(summaries[row.within], row.probe, row.metric, "auth", network=row.network)
        blocks = pairs.reindex(columns=ARMS).to_numpy()
        n = int(np.isfinite(blocks).all(axis=1).sum())
        logarithms = np.log(blocks) if (blocks > 0).all() else blocks
        estimates = {
            "ours_psk": mean_estimate(blocks[:, 0], is_geometric(blocks, row.unit)),
            "ours_rsa": mean_estimate(blocks[:, 1], is_geometric(blocks, row.unit)),
            "diff": second_less_first(blocks).estimate(len(blocks)),
            "ratio": _second_over_first(blocks),
        }
        for name, estimate in estimates.items():
            arm = name.removeprefix("ours_")
            at, says = {"network": row.network, "probe": row.probe}, f"{name} of {row.metric}"
            cells = [at | {"auth": auth} for auth in ([arm] if arm in ARMS else ARMS)]
            estimates[name] = estimate.measured(says, row.metric, cells, pairs.index)
        rows.append(
            {
                **row._asdict(),
                "n": n,
                **{
                    f"{name}{suffix}": getattr(estimate, field)
                    for name, estimate in estimates.items()
                    for suffix, field in _FIELDS.items()
                },
                "p_t": paired_t_test(blocks)[1],
                "bayes_factor": bayes_factor(paired_t_test(logarithms)[0], n),
            }
        )
    table = pd.DataFrame(rows).drop(columns="Index")
    return table.assign(p_holm=multicomp(table["p_t"], method="holm")[1])


def second_less_first(pairs: np.ndarray) -> Estimates:
    """The difference of two columns, one row per block. NaN marks a missing value."""
    return contrast_estimates(pairs, np.array([[-1.0], [1.0]]))


def paired_t_test(pairs: np.ndarray) -> tuple[float, float]:
    """T and two-sided p of the paired t-test of two columns; NaN for fewer than two pairs, or equal
    differences."""
    from pingouin import ttest

    first, second = pairs[np.isfinite(pairs).all(axis=1)].T
    if len(first) < 2 or not np.ptp(second - first):
        return np.nan, np.nan
    found = ttest(second, first, paired=True).iloc[0]
    return float(found["T"]), float(found["p_val"])


def _second_over_first(pairs: np.ndarray) -> Estimate:
    if not (pairs > 0).all():
        return Estimate(np.nan, np.nan, np.nan, len(pairs))
    return second_less_first(np.log(pairs)).estimate(len(pairs), logarithms=True)


def estimate_of(row: Mapping[str, Any] | pd.Series, name: str) -> Estimate:
    """The estimate `name` (ours_psk, ours_rsa, diff, ratio) in a row of `compare_arms`."""
    fields = {field: row[f"{name}{suffix}"] for suffix, field in _FIELDS.items()}
    return Estimate(**fields, n=row["n"])


def side_by_side(compared: pd.DataFrame, labels: dict[tuple[str, str], str]) -> pd.DataFrame:
    """The study's table next to ours: one row per comparison, all text. `labels` gives the name of
    each (probe, metric). The study's p has three decimals, as printed."""
    return pd.DataFrame(
        [
            {
                "network": row.network,
                "quantity": f"{labels[row.probe, row.metric]}, {row.unit}",
                "study PSK": f"{row.psk:g}",
                "study RSA": f"{row.rsa:g}",
                "study p": f"{row.p:.3f}",
                "PSK": estimate_text(estimate_of(row._asdict(), "ours_psk")),
                "RSA": estimate_text(estimate_of(row._asdict(), "ours_rsa")),
                "RSA - PSK": estimate_text(estimate_of(row._asdict(), "diff")),
                "p": p_text(row.p_t),
                "p (Holm)": p_text(row.p_holm),
                "evidence": evidence_text(row.bayes_factor),
            }
            for row in compared.itertuples()
        ],
        dtype=object,
    )


def published_upload() -> dict[str, float]:
    """The study's rate of UDP upload on the impaired network [Mbit/s], by arm."""
    table = comparison_table(load_published("pratama"))
    row = table[table["id"] == "pratama-udp-up-impaired"].iloc[0]
    return {arm: row[arm] for arm in ARMS}
