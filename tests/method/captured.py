"""Write data/captured/calibration.simulated.csv: how often intervals include the truth and verdicts
are false in simulated campaigns with a known answer, whose noise comes from the released trials.
Run after a build: env/run python tests/method/captured.py"""

from dataclasses import replace

import pandas as pd
from rejected_methods import explained_variance, plug_in_smallest, readings_as_replicates
from residuals import measured_noise
from simulated_cases import BEYOND, CASES, EVERY_SIZE, SEED, TCP, TCP_JITTER
from simulation import coverage

from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.summaries import (
    Tables,
    costs,
    gateways_in,
    read_tables,
    trial_summaries,
)

WRITTEN = ROOT / "data/captured/calibration.simulated.csv"
SCENARIOS = ["psk-rsa", "ah-esp-ciphers", "algorithm-sweep", "eap-methods"]
METRICS = {test["metric"] for case in (*CASES, *BEYOND) for test in case.tests}
CAMPAIGNS = 4000
"""simulated campaigns of a variant of the cases, or of another method"""


def summaries_of(scenario: str, tables: Tables) -> pd.DataFrame:
    """Trial summaries of the metrics that the cases ask about."""
    observations = tables["observations"]
    asked = observations[observations["metric"].isin(METRICS)]
    found = trial_summaries(asked, tables.factors, "mean")
    if scenario != "algorithm-sweep":
        return found
    flows = observations[observations["probe"] == "flow"]
    counters = tables["counters"]
    gateways = gateways_in(counters)
    cost = costs(counters, flows, tables.factors, "cpu_per_megabyte", gateways)
    return pd.concat([found, cost])


def of_other_methods(summaries: pd.DataFrame, observations: pd.DataFrame) -> pd.DataFrame:
    """Coverage and false verdicts of other methods, from `summaries` of algorithm-sweep and
    `observations` of psk-rsa."""
    goodput, jitter = (
        measured_noise(summaries, *(of[key] for key in ("probe", "metric", "where", "alike")))
        for of in (TCP, TCP_JITTER)
    )
    sizes = {"suite": ["3des-md5"], "payload": EVERY_SIZE["of"]["payload"]}
    shape = Question(quantity="straightness", metric="jitter", over="payload", of=sizes)
    ratios = Question(**EVERY_SIZE, because="of a simulation")
    pings = observations.query("probe == 'latency' and metric == 'rtt'")
    pings = pings.query("network == 'normal' and auth == 'psk'").set_index("block")["value"]
    found = [
        (method, n, *shares)
        for n in (5, 10)
        for method, shares in (
            ("smallest", plug_in_smallest(goodput, ratios, CAMPAIGNS, n, SEED)),
            ("R squared", explained_variance(jitter, shape, 0.8, CAMPAIGNS, n, SEED)),
            ("readings", readings_as_replicates(pings, CAMPAIGNS, n, SEED)),
        )
    ]
    return pd.DataFrame(found, columns=["kind", "blocks", "held", "false"])


def main() -> None:
    tables = {
        one: read_tables(
            ROOT / "results/tidy" / one,
            ["observations", *(["counters"] if one == "algorithm-sweep" else [])],
        )
        for one in SCENARIOS
    }
    summaries = {one: summaries_of(one, of) for one, of in tables.items()}
    pooled = [
        replace(case, alike=[], campaigns=CAMPAIGNS)
        for case in CASES
        if case.kind == "ratio" and case.alike
    ]
    written = {
        "cases": coverage(CASES, summaries, SEED),
        "pooled": coverage(pooled, summaries, SEED),
        "beyond": coverage(BEYOND, summaries, SEED),
        "others": of_other_methods(summaries["algorithm-sweep"], tables["psk-rsa"]["observations"]),
    }
    table = pd.concat(written, names=["table"]).reset_index("table")
    table.astype({"campaigns": "Int64"}).to_csv(WRITTEN, index=False)


if __name__ == "__main__":
    main()
