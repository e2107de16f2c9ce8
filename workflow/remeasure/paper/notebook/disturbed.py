"""Shared by scenarios renewal and outage: values of both directions, or both gateways, as one."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from remeasure.paper.analysis.estimates import NOTHING, Estimate
from remeasure.paper.notebook.asked import values_of

WAYS = ("up", "down")
ENDS = ("initiator", "responder")


def joined_metric(
    summaries: pd.DataFrame, name: str, metrics: Iterable[str], how: str
) -> pd.DataFrame:
    """Summaries of a metric `name` made of others of one trial, by an aggregation of pandas."""
    chosen = summaries[summaries["metric"].isin(list(metrics))]
    keys = [column for column in summaries.columns if column not in ("metric", "value")]
    made = chosen.groupby(keys, observed=True, as_index=False)["value"].agg(how)
    return made.assign(metric=name)


def derived(found: pd.DataFrame) -> list[pd.DataFrame]:
    """Summaries of metrics of both directions and of both gateways, made of those in `found`."""
    lost = joined_metric(found, "lost", [f"{way}_bulk_lost" for way in WAYS], "sum")
    sent = joined_metric(found, "sent", [f"{way}_bulk_sent" for way in WAYS], "sum")
    silence = joined_metric(found, "silence", [f"{way}_silence" for way in WAYS], "max")
    clear = joined_metric(found, "clear", [f"{end}_clear" for end in ENDS], "sum")
    seconds = joined_metric(found, "clear_time", [f"{end}_clear_time" for end in ENDS], "max")
    sas = joined_metric(found, "ike_sas", [f"{end}_ike_sas" for end in ENDS], "max")
    return [lost, sent, silence, clear, seconds, sas]


def most(summaries: pd.DataFrame, metric: str, where: dict[str, Any]) -> float:
    """The greatest value of a metric in any trial of some cells; NaN if there is none."""
    return float(values_of(summaries, {"metric": metric, "where": where})["value"].max())


def summed(summaries: pd.DataFrame, metric: str, factor: str, levels: Iterable[str]) -> Estimate:
    """Sum of a metric over all trials at some levels of a factor; NaN if there are none."""
    cells = [{factor: level} for level in levels]
    here = summaries[factor].isin(list(levels))
    chosen = summaries[(summaries["metric"] == metric) & here]
    blocks = chosen["block"].unique()
    if not len(blocks):
        return NOTHING
    found = Estimate(float(chosen["value"].sum()), np.nan, np.nan, len(blocks))
    return found.measured(f"sum of {metric}", metric, cells, blocks, summaries.attrs)
