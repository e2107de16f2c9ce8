"""How exactly an echo shows the end of a negotiation, compared with the initiator's own log."""

import pandas as pd

TIMES = {"rtt": "held", "wait": "train"}
"""result of an echo that waited in the kernel, and of a train in which no request did"""


def beyond_negotiation(observations: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """One row per negotiation that an echo or a train of echoes asked for: block, trial, the
    factors, probe, repeat, index, kind (a value of TIMES), and `value` [ms], its result less the
    time in the initiator's log (metric `negotiated`). The log is exact to microseconds, so the
    variation is the grain of the probe. The time of an echo that waited includes one round trip."""
    keys = ["block", "trial", *factors, "probe", "repeat", "index"]
    logged = observations[observations["metric"] == "negotiated"].set_index(keys)["value"]
    found = observations[observations["metric"].isin(TIMES)].set_index(keys)
    found = found.loc[found.index.isin(logged.index), ["metric", "value"]]
    kind = found["metric"].astype(str).map(TIMES)
    beyond = found["value"] - logged.reindex(found.index)
    return pd.DataFrame({"kind": kind, "value": beyond}).reset_index()
