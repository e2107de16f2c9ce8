"""What a suite costs a processor, and which of those that may be deployed costs least."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from remeasure.analysis.estimates import Estimate

REFERENCE = "aes128gcm16"
"""suite that the costs of others are divided by"""
ADVISED = (REFERENCE, "aes256gcm16", "chacha20poly1305", "aes128-sha256")
"""suites that RFC 8221 (sections 5 and 6) has as MUST or SHOULD, without reservation: not DES, 3DES
or MD5, nor SHA-1 (MUST-)"""
_WAYS = ("outbound_cpu", "inbound_cpu")


def both_ways(summaries: pd.DataFrame) -> pd.DataFrame:
    """Summaries (see analysis.summaries) of `cpu_per_packet`, what a packet costs the two ends of
    an SA together: the sum of outbound_cpu and inbound_cpu of each trial [ns]."""
    chosen = summaries[summaries["metric"].isin(_WAYS)]
    keys = [column for column in summaries if column not in ("metric", "value")]
    both = chosen.groupby(keys, observed=True, sort=False)["value"].agg(["sum", "size"])
    whole = both.loc[both["size"] == len(_WAYS), "sum"].rename("value").reset_index()
    return whole.assign(metric="cpu_per_packet")[list(summaries.columns)]


def cheapest(costs: Mapping[str, Estimate]) -> list[str]:
    """The suite that costs least, and those of which it is not shown that they cost more; empty if
    none has an interval.

    `costs`: suite -> cost over that of REFERENCE, which need not be among them. Suites without an
    interval are left out.
    """
    known = {
        suite: cost
        for suite, cost in costs.items()
        if suite != REFERENCE and np.isfinite([cost.low, cost.high]).all()
    }
    if not known:
        return []
    known[REFERENCE] = Estimate(1.0, 1.0, 1.0, 0)
    best = min(known, key=lambda suite: known[suite].value)
    alike = [suite for suite in known if suite != best and known[suite].low <= known[best].high]
    return [best, *alike]


def has_aes_instructions(observations: pd.DataFrame) -> bool:
    """Whether libcrypto used AES instructions wherever they were not masked. Both levels of factor
    `instructions` are one treatment if it did not."""
    told = observations.query("metric == 'aes_instructions' and instructions == 'as-they-are'")
    return bool(len(told) and told["value"].min() > 0)
