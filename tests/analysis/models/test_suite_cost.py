"""Which suite costs least, from estimates of costs."""

import numpy as np
import pandas as pd

from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.models.suite_cost import (
    both_ways,
    cheapest,
    has_aes_instructions,
    libraries,
    of_library,
    were_apart,
)
from remeasure.paper.analysis.summaries import Tables


def cost(value: float, half: float) -> Estimate:
    return Estimate(value, value - half, value + half, 10)


def test_the_reference_is_cheapest_where_all_others_cost_more():
    assert cheapest({"chacha20poly1305": cost(4.7, 0.1), "aes256gcm16": cost(1.2, 0.1)}) == [
        "aes128gcm16"
    ]


def test_a_suite_that_costs_less_wins():
    assert cheapest({"chacha20poly1305": cost(0.2, 0.01), "aes256gcm16": cost(1.2, 0.1)}) == [
        "chacha20poly1305"
    ]


def test_what_is_not_shown_to_cost_more_stands_beside_the_cheapest():
    assert cheapest({"aes256gcm16": cost(1.02, 0.05), "aes128-sha256": cost(9, 1)}) == [
        "aes128gcm16",
        "aes256gcm16",
    ]


def test_a_suite_without_an_interval_is_left_out():
    unsure = {"chacha20poly1305": Estimate(0.2, np.nan, np.nan, 1)}
    assert cheapest(unsure | {"aes256gcm16": cost(1.2, 0.1)}) == ["aes128gcm16"]
    assert cheapest(unsure) == []


def test_a_packet_costs_the_sum_of_both_ends_and_nothing_where_one_is_missing():
    common = {"block": 1, "suite": "x", "probe": "cost", "unit": "ns"}
    table = pd.DataFrame(
        [
            common | {"trial": 1, "metric": "outbound_cpu", "value": 100.0},
            common | {"trial": 1, "metric": "inbound_cpu", "value": 50.0},
            common | {"trial": 1, "metric": "outbound_rate", "value": 7.0},
            common | {"trial": 2, "metric": "outbound_cpu", "value": 100.0},
        ]
    )
    found = both_ways(table)
    assert found[["trial", "metric", "value", "unit"]].values.tolist() == [
        [1, "cpu_per_packet", 150.0, "ns"]
    ]


def test_a_processor_without_aes_instructions_is_told_from_one_with_them():
    rows = [("as-they-are", 1), ("masked", 0)]
    table = pd.DataFrame(rows, columns=["instructions", "value"]).assign(metric="aes_instructions")
    assert has_aes_instructions(table)
    assert not has_aes_instructions(table.assign(value=0))
    assert not has_aes_instructions(table[:0])


def tables(rows: list[tuple[str, str, int]], factors: list[str]) -> Tables:
    """Tables of campaigns on hosts of their own: campaign, level of the factor, version."""
    told = pd.DataFrame(rows, columns=["campaign", "library", "value"])
    trials = pd.DataFrame({"campaign": told["campaign"].unique()})
    trials["backend"] = trials["campaign"].map({"a": "netns", "b": "uml"})
    if "library" not in factors:
        told = told.drop(columns="library")
    observations = told.assign(metric="library_version", value=told["value"].astype(float))
    return Tables({"trials": trials, "observations": observations}, factors, [])


def test_campaigns_without_the_factor_have_the_library_of_their_hosts():
    """Their library and host were varied together."""
    found = tables([("b", "", 30605), ("a", "", 30019), ("a", "", 30019)], ["suite"])
    old, new = libraries(found)
    assert (old.name, old.campaign, old.backend, old.level) == ("OpenSSL 3.0.19", "a", "netns", "")
    assert new.name == "OpenSSL 3.6.5"
    assert not were_apart([old, new])
    assert set(of_library(found["observations"], new)["campaign"]) == {"b"}


def test_with_the_factor_both_libraries_are_of_one_host():
    rows = [("a", "image", 30605), ("a", "machine", 30019)]
    found = tables(rows, ["suite", "library"])
    old, new = libraries(found)
    assert (old.level, new.level) == ("machine", "image")
    assert were_apart([old, new])
    assert list(of_library(found["observations"], old)["value"]) == [30019]
