"""Scenario receive-offload: transport over tunnel mode, with receive offload and without."""

import pandas as pd

from notebooks.receive_offload import reading as offload_reading
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.texts import estimate_text
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, Trials, at, each
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

METRICS = ("rate", "segments_per_megabyte", "cpu_per_megabyte")
MODES: Asked = {"quantity": "ratio", "of": {"mode": "transport"}, "to": {"mode": "tunnel"}}
OFF_ON: Asked = {"quantity": "ratio", "of": {"gro": "off"}, "to": {"gro": "on"}}
OFFLOAD = each("gro", ("on", "off"), "receive offload {}")
COLUMNS: dict[str, Asked] = {
    f"{title}, {name}": {"metric": metric, **part}
    for title, metric in (("segments", METRICS[1]), ("processor", METRICS[2]))
    for name, part in OFFLOAD.items()
}
NUMBERS = {
    "ModeOn": at(MODES, gro="on") | {"metric": "rate"},
    "ModeOff": at(MODES, gro="off") | {"metric": "rate"},
    "Acknowledgements": at(MODES, gro="on") | {"metric": METRICS[1]},
}


def over_tunnel(trials: Trials) -> pd.DataFrame:
    """Transport over tunnel mode, with receive offload and without, and their ratio."""
    metrics: dict[str, Asked] = {metric: {"metric": metric} for metric in METRICS}
    found = asked.table(trials, "ratio", OFFLOAD, metrics, MODES)
    found.loc[len(found)] = ["off over on", *(estimate_text(change(trials, m)) for m in METRICS)]
    return found


def summarise(notebook: ScenarioNotebook, estimator: str) -> None:
    """Set the notebook's summaries; `estimator` as of ScenarioNotebook.summarise."""
    cost = notebook.per_megabyte("cpu_per_megabyte", ["left", "right"])
    segments = notebook.per_megabyte("segments_per_megabyte", ["left"])
    notebook.summarise(estimator, cost, segments)


def change(trials: Trials, metric: str) -> Estimate:
    """How switching receive offload off changes transport over tunnel mode."""
    ratios = offload_reading.transport_over_tunnel(trials.summaries, metric)
    both = [trials.estimate(MODES, part, metric=metric) for part in reversed(OFFLOAD.values())]
    found = trials.estimate(OFF_ON, summaries=ratios, metric=metric)
    return found.computed("transport over tunnel mode, receive offload off over on", both)


def hand_over(notebook: ScenarioNotebook) -> None:
    results = notebook.results
    asked.hand_over(notebook, NUMBERS)
    changed = change(notebook, "rate")
    results.words("Change", estimate_text(changed))
    tunnel = notebook.scenario.settings_where(mode="tunnel").ipsec
    results.words(
        "Suite", tunnel.proposal if tunnel else "none", "suite of the scenario, campaign.yaml"
    )
    on, off = (notebook.estimate(MODES, part, metric="rate") for part in OFFLOAD.values())
    says = "by the rule of notebooks.receive_offload.reading"
    results.words("Reading", offload_reading.reading(on, off, changed), says)
