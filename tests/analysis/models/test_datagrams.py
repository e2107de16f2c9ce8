"""In how many packets the datagrams of UDP flows travel."""

import pandas as pd

from notebooks.algorithm_sweep.reading import packets_per_datagram


def test_packets_are_those_of_the_sa_or_without_ipsec_of_the_interface():
    def row(suite, host, counter, change):
        keys = {"block": 1, "suite": suite, "payload": "1472"}
        return keys | {"host": host, "counter": counter, "change": change}

    counters = pd.DataFrame(
        [
            row("none", "gw1", "wan_tx_packets", 100),
            row("aes", "gw1", "wan_tx_packets", 999),
            row("aes", "gw1", "sa_out_packets", 200),
            row("aes", "gw2", "sa_out_packets", 999),
        ]
    )
    observations = pd.DataFrame(
        [
            {"block": 1, "suite": suite, "payload": "1472", "metric": metric, "value": value}
            for suite in ("none", "aes")
            for metric, value in (("received", 90.0), ("lost", 10.0), ("goodput", 5.0))
        ]
    )
    found = packets_per_datagram(counters, observations, "gw1")
    assert found.to_dict() == {("none", "1472"): 1.0, ("aes", "1472"): 2.0}
