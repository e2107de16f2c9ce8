"""The cost of a suite by library."""

import pandas as pd
from frames import frame

from remeasure.paper.analysis.models.suite_cost import (
    both_ways,
    has_aes_instructions,
    libraries,
    of_library,
    were_apart,
)
from remeasure.paper.analysis.summaries import Tables


def test_a_packet_costs_the_sum_of_both_ends_and_nothing_where_one_is_missing():
    table = frame(
        "trial metric value",
        *((1, "outbound_cpu", 100.0), (1, "inbound_cpu", 50.0), (1, "outbound_rate", 7.0)),
        (2, "outbound_cpu", 100.0),
        block=1,
        suite="x",
        probe="cost",
        unit="ns",
    )
    found = both_ways(table)
    (row,) = found[["trial", "metric", "value", "unit"]].values.tolist()
    assert row == [1, "cpu_per_packet", 150.0, "ns"]


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
