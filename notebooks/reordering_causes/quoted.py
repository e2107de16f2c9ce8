"""Scenario reordering-causes: what its notebook hands over, and TCP beside calls."""

from collections.abc import Iterator

import pandas as pd

from notebooks.reordering_causes.asks import LAW, SHOWN, TCP, ReorderingCauses
from remeasure.bench.ipsec.tunnel import LARGEST_WINDOW
from remeasure.paper.analysis.models.queue_reordering import needed_window
from remeasure.paper.analysis.models.reordering_runs import LINK, law_of
from remeasure.paper.analysis.models.window_acceptance import DEFAULT
from remeasure.paper.analysis.models.window_advice import Passed, Traffic, advise
from remeasure.paper.analysis.texts import estimate_text

_ENOUGH = "narrowest measured window that refused at most 0.1 %, packets"


def quote_law(trials: ReorderingCauses) -> None:
    """Hand over how well the law predicts: in shares, and cell by cell whether any packet is
    refused."""
    results = trials.notebook.results
    off, refusing = trials.off(), trials.runs["predicted"] > 0
    worst = "largest difference of predicted and measured share of packets, points"
    results.number("PredictionWorst", off.max(), 1, source=worst)
    counted = "runs of flows that were compared with the law"
    results.number("PredictionRuns", len(off), 0, source=counted)
    # A window that is not reached refuses nothing at all, not almost nothing.
    quiet = trials.runs.loc[~refusing, "refused"]
    says = "packets refused in all runs in which the law says that none is"
    results.count("RefusedUnforeseen", int(quiet.sum()), says)
    missed = trials.runs.loc[refusing, "refused"] == 0
    says = "runs in which the law says that packets are refused, and none was"
    results.count("ForeseenNotRefused", int(missed.sum()), says)


def beside_calls(trials: ReorderingCauses) -> pd.DataFrame:
    """A transfer by TCP and calls in one tunnel: goodput, packets that the window refused, and
    the calls' delay and losses. No rows where it was not measured."""
    observed = trials.notebook.observations
    cells = observed.loc[observed["probe"] == TCP, ["rate", "cause", "window"]]
    known = [
        (rate, cause, str(window))
        for rate in trials.rates
        for cause in trials.causes
        for window in trials.windows
    ]
    found = set(cells.itertuples(index=False, name=None))
    columns = {
        "goodput, Mbit/s": "goodput",
        "refused": "dropped",
        "calls' delay (99 %), ms": "up_favoured_delay_p99",
        "calls lost, %": "up_favoured_loss",
    }
    rows = []
    for rate, cause, window in known:
        if (rate, cause, window) in found:
            where = {"rate": rate, "cause": cause, "window": window}
            texts = {
                column: trials.notebook.text(metric=metric, probe=TCP, where=where)
                for column, metric in columns.items()
            }
            named = {"Mbit/s": rate, "cause": SHOWN.get(cause, cause), "window": window}
            rows.append(named | texts)
    names = ["Mbit/s", "cause", "window", *columns]
    return pd.DataFrame(rows, columns=names, dtype=object)


def quote_tcp(trials: ReorderingCauses) -> None:
    """Hand over goodput of TCP beside calls, and the calls' delay: in one queue, and behind
    priority with the default window and a wide one."""
    for name, cause, window, metric in (
        ("TcpQueue", "none", "32", "goodput"),
        ("TcpDefault", "priority", "32", "goodput"),
        ("TcpWide", "priority", "1024", "goodput"),
        ("CallsQueue", "none", "32", "up_favoured_delay_p99"),
        ("CallsPriority", "priority", "32", "up_favoured_delay_p99"),
    ):
        where = {"rate": trials.rate, "cause": cause, "window": window}
        found = trials.notebook.estimate(metric=metric, probe=TCP, where=where)
        if found.n:
            trials.notebook.results.words(name, estimate_text(found))
        else:
            says = f"{metric} of a transfer beside calls, not measured in this campaign"
            trials.notebook.results.words(name, "n/a", says)


def quote(trials: ReorderingCauses) -> None:
    """Hand over what the answer says."""
    results, notebook = trials.notebook.results, trials.notebook
    results.words("Rate", trials.rate, "rate of the link, Mbit/s")
    payload = str(trials.payload(trials.flow))
    results.words("Payload", payload, "payload of a datagram, bytes")
    results.words("Default", str(DEFAULT), "strongSwan's window, packets")
    results.words("Largest", str(LARGEST_WINDOW), "widest window of Linux")
    for name, cause in (("Priority", "priority"), ("Paths", "paths-10ms")):
        settings = notebook.scenario.settings_where(cause=cause, rate=trials.rate)
        law = law_of(settings, trials.flow, DEFAULT, notebook.scenario.topology.family)
        wait = f"longest wait behind {cause} at {trials.rate} Mbit/s, ms"
        results.number(f"Wait{name}", 1e3 * law.wait_s, 1, source=wait)
        says = f"numbers that a packet behind {cause} is behind the newest, {LAW}"
        results.number(f"Overtaken{name}", law.predicted.behind, 0, source=says)
        found = trials.enough(cause, trials.rate, trials.flow)
        enough = str(found or "none measured")
        results.words(f"Enough{name}", enough, _ENOUGH)
    where = {"cause": "paths-10ms", "rate": trials.rate, "window": str(DEFAULT)}
    notebook.quote("RefusedPaths", metric="refused", probe=trials.flow, where=where)
    _quote_priority(trials)
    _quote_gigabit(trials)


def _quote_priority(trials: ReorderingCauses) -> None:
    """What a full queue with priority lets pass: all of the favoured class, and other packets for
    as long as the queue is short."""
    results = trials.notebook.results
    settings = trials.notebook.scenario.settings_where(cause="priority", rate=trials.rate)
    load = settings.probes[trials.flow].model_dump()["load"]
    results.number("Load", load, 0, source="load of the full queue, % of the link")
    runs = trials.of("priority", trials.rate, trials.flow)
    run = runs[runs["window"] == str(DEFAULT)].mean(numeric_only=True)
    says = "rate of the full queue with priority, packets a second"
    results.number("PerSecond", run["per_second"], 0, source=says)
    others = run["per_second"] * (1 - run["favoured_sent"] / run["sent"])
    says = "time for which packets outside class EF passed the default window, s: number over rate"
    results.number("Passed", (run["waited"] - run["refused"]) / others, 2, source=says)
    queued = trials.runs[trials.runs["cause"] == "priority"]
    says = "lost packets of class EF in all runs behind a full queue with priority"
    results.count("FavouredLost", int(queued["favoured_lost"].sum()), says)


def _quote_gigabit(trials: ReorderingCauses) -> None:
    """The window that the rule names at 1 Gbit/s, and the narrowest one that was enough."""
    results = trials.notebook.results
    for name, cause in (("Priority", "priority"), ("Paths", "paths-10ms")):
        settings = trials.notebook.scenario.settings_where(rate="1000", cause=cause)
        law = law_of(settings, "large", DEFAULT, trials.notebook.scenario.topology.family)
        needed = needed_window(law.wait_s, law.sent.per_second)
        says = f"window of the rule behind {cause} at 1 Gbit/s, packets"
        results.words(f"Gigabit{name}", str(needed or "beyond"), says)
        enough = str(trials.enough(cause, "1000", "large") or "none measured")
        results.words(f"GigabitEnough{name}", enough, f"{_ENOUGH} at 1 Gbit/s")
    measured = list(passed(trials))
    there = [one.traffic for one in measured if one.traffic.path == "queue"]
    fastest = max(there, key=lambda traffic: traffic.rate, default=None)
    advised = str(advise(fastest, measured)) if fastest else "n/a"
    says = "window to set behind priority at 1 Gbit/s, packets"
    results.words("GigabitSet", advised, says)


def passed(trials: ReorderingCauses) -> Iterator[Passed]:
    """Windows that were enough where packets wait. The page My tunnel offers the longest wait of
    each kind, at the rate and with the packets that the chart shows."""
    for cause, rate, flow in trials.places():
        run, enough = trials.of(cause, rate, flow).iloc[0], trials.enough(cause, rate, flow)
        if run["wait_s"] and enough:
            link = trials.notebook.scenario.settings_where(cause=cause, rate=rate).shaping[LINK]
            size = trials.payload(flow)
            traffic = Traffic(
                path="skew" if link.impairment.gap else "queue",
                rate=float(run["per_second"]) * size * 8 / 1e6,
                size=size,
                delay=float(run["wait_s"]) * 1e3,
            )
            yield Passed(traffic, enough, (rate, flow) == (trials.rate, trials.flow))
