"""How exactly an echo tells when a negotiation has ended: against the initiator's own log."""

import pandas as pd

TIMES = {"rtt": "held", "wait": "train"}
"""what an echo found that waited in the kernel, and what a train found of which no request did"""


def beyond_negotiation(observations: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """One row for each negotiation that an echo or a train of echoes asked for: block, trial, the
    factors, probe, repeat, index, kind (a value of TIMES), and `value` [ms], what it found less
    what the initiator's log says (metric `negotiated`).

    The log is exact to microseconds, so what this varies by is the grain of the probe. An echo that
    was held also holds one round trip.
    """
    keys = ["block", "trial", *factors, "probe", "repeat", "index"]
    logged = observations[observations["metric"] == "negotiated"].set_index(keys)["value"]
    found = observations[observations["metric"].isin(TIMES)].set_index(keys)
    found = found.loc[found.index.isin(logged.index), ["metric", "value"]]
    kind = found["metric"].astype(str).map(TIMES)
    beyond = found["value"] - logged.reindex(found.index)
    return pd.DataFrame({"kind": kind, "value": beyond}).reset_index()
