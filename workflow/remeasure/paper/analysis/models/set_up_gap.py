"""The time of an IKE_SA set-up by the initiator's log, compared with that by a capture on the
wire."""

import pandas as pd


def log_minus_wire(observations: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """One row for each trial and probe: `value`, the mean difference [ms] of metrics ike_sa
    and ike_wire over negotiations without a retransmission.

    A request that netem drops never reaches the capture: in such a negotiation the two metrics
    would time different exchanges.
    """
    keys = ["block", "trial", *factors, "probe", "repeat"]
    times = observations[observations["metric"].isin(["ike_sa", "ike_wire"])]
    times = times.pivot_table(index=keys, columns="metric", values="value", observed=True)
    again = observations[observations["metric"] == "ike_retransmits"]
    clean = again[again["value"] == 0].set_index(keys).index
    times = times[times.index.isin(clean)]
    gap = (times["ike_sa"] - times["ike_wire"]).rename("value").reset_index()
    return gap.groupby(keys[:-1], observed=True)["value"].mean().reset_index()
