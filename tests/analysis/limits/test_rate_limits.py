"""Limits of rates: released runs worked out by hand from their counters, and made-up loads."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from cases import cases
from frames import frame
from projects import LEFT

from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign.folder import measured_scenario
from remeasure.paper.analysis.limits.host_work import ShareBounds
from remeasure.paper.analysis.limits.rate_limits import (
    LIMITS,
    PERFORMANCE,
    hidden_cost,
    limit_of,
    limits,
    link_share,
    not_performance,
    only_datagrams,
    read_as_performance,
    runs_of,
    shares,
    unlike_packets,
)
from remeasure.paper.analysis.limits.run_loads import RunLoad
from remeasure.paper.analysis.summaries import Tables, read_tables
from remeasure.paper.tidy.tables import write_tables


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """Runs of the first block of a scenario, with their limits."""

    @cache
    def tables_of(block):
        folder = tmp_path_factory.mktemp("tidy")
        write_tables([block], folder)
        return read_tables(folder)

    def found(campaign, scenario, change=lambda tables: {}):
        """`change` replaces tables."""
        campaigns = LEFT if (LEFT / campaign).exists() else RAW
        block = campaigns / campaign / scenario / "block-01.zip"
        tables = tables_of(block)
        changed = Tables({**tables, **change(tables)}, tables.between, tables.within)
        return limits(changed, measured_scenario(block))

    return found


def one(found, **where):
    """The one run of these levels."""
    chosen = np.all([found[column] == value for column, value in where.items()], axis=0)
    (run,) = found[chosen].to_dict("records")
    return run


def test_a_released_link_and_a_run_that_short_counters_leave_open(released):
    found = released("lab-2026-11-quick", "ah-esp-ciphers")
    # right.wire sent 8 372 637 bytes in 2.808 466 s, at a set rate of 24 Mbit/s.
    run = one(found, trial=11, probe="test_1")
    assert (run["limit"], run["where"], run["reading"]) == ("link", "right.wire", PERFORMANCE)
    assert run["link_used"] == pytest.approx(8372637 * 8 / 2.808466 / 24e6, rel=1e-6)
    # In 2.164 31 s left used 2280 ms and right 2120; the cheapest runs of test_2 took 380 and 220.
    run = one(found, trial=36, probe="test_2")
    assert run["receiver_low"] == pytest.approx((2280 - 380) / 2164.31)
    assert run["receiver_high"] == 1.0
    assert run["sender_low"] == pytest.approx((2120 - 220) / 2164.31)
    assert run["sender_high"] == pytest.approx(2120 / 2164.31)
    assert (run["gateway_low"], run["gateway_high"]) == (0, 0)
    assert (run["limit"], run["may_be"]) == ("unknown", "sender, receiver, hosts in turn")
    assert run["reading"] == PERFORMANCE, "whichever it was, it is an end of the SA"


def test_released_drops_behind_a_full_link_and_a_campaign_without_processor_time(released):
    found = released("lab-2026-11", "psk-rsa")
    # gw2 dropped 80 876 packets as replays and let 2002 in; gw1 let 36 in. The link was full.
    run = one(found, trial=3, probe="udp_up")
    assert run["dropped"] == pytest.approx(80876 / (80876 + 2002 + 36))
    assert run["link_used"] > 0.95
    assert (run["limit"], run["reading"]) == ("drops", "protocol and network")
    assert one(found, trial=1, probe="tcp_up")["where"] == "gw1.wan"
    run = one(found, trial=3, probe="tcp_up")
    assert (run["limit"], run["reading"]) == ("unknown", "function only")
    assert run["may_be"] == "sender, gateway, receiver, machine, hosts in turn"
    assert set(found["probe"]) == {"tcp_up", "tcp_down", "udp_up", "udp_down"}, "no ping, no IKE"


def test_a_released_receiver_that_did_not_read_what_a_full_link_brought(released):
    found = released("lab-2026-11-quick", "algorithm-sweep")
    # client2 read 5390 datagrams; 3032 found its buffer full.
    flow = {"trial": 1, "probe": "flow", "transport": "udp", "load": "saturation"}
    run = one(found, payload="1152", **flow)
    assert run["unread"] == pytest.approx(3032 / (5390 + 3032))
    assert run["link_used"] > 0.95
    assert (run["limit"], run["where"], run["reading"]) == ("receiver", "client2", "function only")
    # The same link lost nothing at another size.
    assert one(found, payload="1408", **flow)["where"] == "gw1.wan"
    assert (found["receiver_low"] == 0).all(), "ITGDec works on the log before counters are read"


def test_released_ends_of_an_sa_and_a_machine_with_fewer_processors_than_its_guests(released):
    found = released("lab-2026-11-smp", "per-cpu-sas")
    run = one(found, trial=1, streams="8")
    assert run["receiver_low"] == run["receiver_high"] == pytest.approx(0.95275)  # right_cpu0_busy
    left, right = (78 + 91.09 + 89.11 + 100) / 4, (84.16 + 100 + 100 + 96.94) / 4
    assert run["machine_low"] == pytest.approx((left + right) / 100 / 2)
    # Two guests of one processor on a machine of two: each has its own.
    assert (run["limit"], run["where"], run["reading"]) == ("receiver", "right", PERFORMANCE)
    # Guests of two processors: left wanted 52 % of its two, right 72 %, and the machine has two.
    run = one(found, trial=5, streams="1")
    left, right = (49.01 + 50.99 + 53.5 + 53.5) / 4, (81.19 + 98.47 + 86.39 + 22.5) / 4
    assert run["machine_low"] == pytest.approx(2 * (left + right) / 100 / 2)
    assert (run["limit"], run["reading"]) == ("machine", "function only")


@pytest.mark.parametrize(
    ("hosts", "limits_found", "readings"),
    [
        ("emulated", {"link", "receiver", "sender", "unknown"}, {"function only"}),
        ("namespaces", {"link", "unknown"}, {"performance"}),
    ],
)
def test_what_hosts_cannot_tell(released, hosts, limits_found, readings):
    """Emulated processors show function only; namespaces of one kernel have no processor time."""

    def others(tables):
        return {"trials": tables["trials"].assign(hosts=hosts, backend="zz_test")}

    found = released("lab-2026-11-quick", "ah-esp-ciphers", others)
    assert set(found["limit"]) <= limits_found and "link" in set(found["limit"])
    assert set(found["reading"]) == readings
    assert found["sender_high"].isna().all() == (hosts == "namespaces")


def test_released_datagrams_of_a_host_and_a_gateway_that_share_a_core(released):
    found = released("lab-2026-11-22", "algorithm-sweep")
    flow = {"suite": "des-md5", "transport": "udp", "load": "saturation", "payload": "64"}
    run = one(found, **flow)
    assert (run["limit"], run["where"]) == ("core", "client1 gw1")
    assert run["reading"] == "function only"
    assert run["sender_high"] < 0.9 and run["gateway_high"] < 0.9 and run["core_low"] > 0.9
    assert set(found[found["load"] == "saturation"]["limit"]) == {"core", "link", "machine"}


def test_released_packets_of_tcp_carry_more_behind_a_slow_suite(released):
    """Nagle's algorithm joins writes of 64 to 1024 bytes; a datagram is one write."""
    found = released("lab-2026-11-22", "algorithm-sweep")
    suites, sizes = ["des-md5", "3des-md5"], ["64", "128", "256", "512", "768", "1024"]
    names = ["suite", "payload", "transport", "load", "probe"]
    for transport in ("tcp", "udp"):
        levels = [suites, sizes, [transport], ["saturation"], ["flow"]]
        cells = pd.MultiIndex.from_product(levels, names=names).to_frame(index=False)
        runs = runs_of(found, cells, [1])
        why = unlike_packets(runs, ("suite",))
        assert only_datagrams(runs) == (not why) == (transport == "udp")
        if why:
            assert "expected at most 2 %: their costs are not of the same work" in why
        else:
            sent = runs["in_packet"].groupby("payload").median()
            assert sent.to_dict() == pytest.approx({size: int(size) for size in sizes}, rel=0.01)
        assert not unlike_packets(runs, ()), "each cell with itself"


def test_what_a_full_link_leaves_a_gateway_to_spare(released):
    """RSA could have cost gw1 about a sixth more in UDP, and half more in TCP."""
    found = released("lab-2026-11-22", "psk-rsa")
    run = one(found, probe="udp_up", network="normal", auth="rsa")
    assert run["limit"] == "link"
    assert run["spare"] == pytest.approx((1 - run["core_low"]) / run["gateway_low"])
    cells = pd.DataFrame([{"probe": "udp_up", "network": "normal", "auth": "rsa"}])
    assert hidden_cost(runs_of(found, cells, [1])) == run["spare"] < 0.2
    both = pd.concat([cells, cells.assign(probe="tcp_up")])
    assert hidden_cost(runs_of(found, both, [1])) > 0.4, "of the cell with most to spare"


def test_time_that_is_not_traffic_s_bounds_what_the_rest_of_a_run_took(released):
    """Run 36 of test_2 again, with its time read directly before and after it: left 2200 ms and
    right 2000 in 2.3 s, of which traffic took 2.164 31."""

    def noted(tables):
        counters, runs = tables["counters"], tables["runs"]
        of_run = (counters["trial"] == 36) & (counters["probe"] == "test_2")
        of_time = counters[of_run & (counters["counter"] == "cpu_ms")]
        spent = of_time["host"].map({"left": 2_200_000, "right": 2_000_000})
        precise = of_time.assign(counter="cpu_run_us", change=spent)
        this = (runs["trial"] == 36) & (runs["probe"] == "test_2")
        noted = {"seconds": runs["seconds"].mask(this, 2.3)}
        noted["foreign"] = runs["foreign"].mask(this, 0.01)
        return {"counters": pd.concat([counters, precise]), "runs": runs.assign(**noted)}

    run = one(released("lab-2026-11-quick", "ah-esp-ciphers", noted), trial=36, probe="test_2")
    rest = 2300 - 2164.31
    assert run["receiver_low"] == pytest.approx((2200 - rest) / 2164.31)
    assert run["sender_low"] == pytest.approx((2000 - rest) / 2164.31)
    # Others may have worked in the rest.
    assert run["machine_low"] == pytest.approx((2200 + 2000 - 2 * rest) / 2 / 2164.31)
    assert run["machine_high"] == pytest.approx((2200 + 2000) / 2 / 2164.31 + 0.01)
    assert (run["limit"], run["where"]) == ("receiver", "left")


IDLE = ShareBounds(0.1, 0.2, "a")
QUIET = {"sender": IDLE, "gateway": IDLE, "receiver": IDLE, "machine": IDLE, "most_at_work": 0.6}


@pytest.mark.parametrize(("load", "limit", "may_be"), cases(__file__, "each_limit"))
def test_each_limit(load, limit, may_be):
    shares = {name: ShareBounds(*of) for name, of in load.items() if isinstance(of, list)}
    found = limit_of(RunLoad(**(QUIET | load | shares)))
    assert (found.limit, found.may_be) == (limit, may_be)
    assert found.limit in LIMITS


RUNS = frame(
    "block trial suite probe limit reading",
    (1, 1, "a", "up", "link", "performance"),
    (1, 2, "b", "up", "link", "performance"),
    (2, 1, "a", "up", "unknown", "function only"),
    (2, 2, "b", "up", "gateway", "performance"),
    (2, 2, "b", "down", "unknown", "function only"),
)


def test_runs_are_counted_by_limit_and_by_reading():
    table = shares(RUNS, ["suite"])
    columns = ["runs", "link", "unknown", "gateway", "performance", "function only"]
    assert set(table) == set(columns) and list(table.index) == ["a", "b"]
    assert table[columns].to_numpy().tolist() == [[2, 1, 1, 0, 1, 1], [3, 1, 1, 1, 2, 1]]


def test_limits_of_some_cells_and_blocks():
    cells = pd.DataFrame({"suite": ["a", "b"], "probe": ["up", "up"]})
    of_both = runs_of(RUNS, cells, [1, 2])
    assert list(of_both["limit"]) == ["link", "link", "unknown", "gateway"]
    assert (link_share(of_both), link_share(runs_of(RUNS, cells, [1]))) == (0.5, 1)
    assert len(runs_of(RUNS, pd.DataFrame({"suite": ["b"]}), [1, 2])) == 3
    assert runs_of(RUNS, pd.DataFrame({"suite": ["c"]}), [1, 2]).empty


def test_function_only_is_asked_in_each_cell_that_is_compared():
    """A third of all runs, but all of one cell: a difference can come from that cell only."""
    core = {"probe": "up", "limit": "core", "reading": "function only"}
    rows = [*zip("abcabc", (1, 1, 1, 2, 2, 2), strict=True)]
    runs = frame("suite block", *rows, **core)
    runs.loc[runs["suite"] != "a", ["limit", "reading"]] = "link", "performance"
    cells = pd.DataFrame({"suite": ["a", "b", "c"]})
    why = not_performance(runs_of(runs, cells, [1, 2]))
    assert why.startswith("function only: in 1 of 3 cells ") and "(2 of all 6 runs: core 2)" in why
    half = runs_of(
        runs.assign(reading=runs["reading"].mask(runs["block"] == 1, PERFORMANCE)), cells, [1, 2]
    )
    assert not not_performance(half), "half of the runs of a cell are enough"
    assert not not_performance(runs_of(runs, cells[1:], [1, 2]))
    assert not not_performance(runs_of(runs, cells[:0], [1, 2]))


def test_one_run_of_a_trial_that_is_no_performance_takes_the_trial_of_that_probe_out():
    twice = pd.concat([RUNS, RUNS.assign(reading="function only")[:1]])
    summaries = RUNS[["block", "trial", "suite", "probe"]].assign(metric="goodput", value=1.0)
    kept = read_as_performance(summaries, twice)
    assert kept[["block", "trial"]].to_numpy().tolist() == [[1, 2], [2, 2]]
    assert list(kept) == list(summaries)
