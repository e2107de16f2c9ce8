"""The cost of a message in several packets, if each packet is delayed independently.

The receiver needs every packet of a message: the fragments into which IKE (RFC 7383) or IP cuts it.
The last packet therefore counts. Of k independent delays with the same mean the greatest is later
than the mean by the expected maximum of k draws, which for two normal ones is the standard
deviation over the square root of pi. The mean of the delays cancels between a message of one packet
and a message of several; only the deviation matters.

The difference of two arms would be a poor estimate: two set-ups differ by two further delays, so it
takes hundreds of them, while a capture shows the delay of each single message.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy.special import ndtr


def last_of(packets: int, deviation: float) -> float:
    """How much later the last of so many packets is expected than a single packet, if delays are
    independent and normal with standard deviation `deviation` [unit of `deviation`]. netem draws
    from a table of 4096 values of that distribution, which changes nothing that matters."""
    x = np.linspace(-10, 10, 2001)
    density = packets * ndtr(x) ** (packets - 1) * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    return float(np.trapezoid(x * density, x)) * deviation


def added_delay(messages: Iterable[int], deviation: float) -> float:
    """Expected additional time of an exchange over one whose messages each fill one packet [unit of
    `deviation`]. `messages`: number of packets of each message in the delayed direction."""
    return sum(last_of(packets, deviation) for packets in messages)


def log_minus_wire(observations: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """One row per trial and probe: `value`, the mean difference [ms] of metrics ike_sa and ike_wire
    over negotiations without a retransmission. A request that netem drops never reaches the
    capture: in such a negotiation the two metrics would time different exchanges."""
    keys = ["block", "trial", *factors, "probe", "repeat"]
    times = observations[observations["metric"].isin(["ike_sa", "ike_wire"])]
    times = times.pivot_table(index=keys, columns="metric", values="value", observed=True)
    again = observations[observations["metric"] == "ike_retransmits"]
    clean = again[again["value"] == 0].set_index(keys).index
    times = times[times.index.isin(clean)]
    gap = (times["ike_sa"] - times["ike_wire"]).rename("value").reset_index()
    return gap.groupby(keys[:-1], observed=True)["value"].mean().reset_index()
