"""The page on which a reader sets rate and jitter, and sees what each replay window lets pass."""

import json
from pathlib import Path

import altair as alt
import pandas as pd

from remeasure.analysis.models.replay_window import accepted_share
from remeasure.digits import rounded_chart
from remeasure.ipsec.tunnel import LARGEST_WINDOW

RATES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Mbit/s"""
JITTERS = (0.5, 1, 2, 5, 10, 20, 30, 50)
"""standard deviation of the delay [ms]"""
WINDOWS = [2**power for power in range(5, LARGEST_WINDOW.bit_length())]


def window_page(figure: Path) -> str:
    """The page (Markdown with the chart's specification, which _static/charts.js draws). `figure`:
    specification of the figure `passing` of notebook replay_window, whose data are measured."""
    measured = measured_shares(json.loads(figure.read_text()))
    document = json.dumps(rounded_chart(chart(measured).to_dict())).replace("</", "<\\/")
    jitter = ", ".join(f"{value:g}" for value in sorted(measured["jitter"].unique()))
    rates = ", ".join(f"{value:g}" for value in sorted(measured["rate"].unique()))
    return f"""\
# What a replay window lets pass

Set how fast packets are sent, and how much their delays differ: the bars say which share of them
each anti-replay window lets pass, of the packets that arrive. Bars are a model that knows rate,
jitter and window alone. Marks with 95 % intervals are measured: at a jitter of {jitter} ms, and
{rates} Mbit/s. Elsewhere nothing was measured. Linux takes windows up to {LARGEST_WINDOW} packets.

<figure class="chart" id="window">
<p>Without scripts: <a href="notebooks/replay_window.html">the table of what to set</a>.</p>
<script type="application/json">{document}</script>
<figcaption id="window-says">Share of packets of {measured["length"].iloc[0]:g} bytes that pass, by
window, on a path that delays each packet by its own random time (normal distribution).</figcaption>
</figure>

What to write into `swanctl.conf`, and what to do where no window is wide enough:
[notebook](notebooks/replay_window).
"""


def measured_shares(specification: dict) -> pd.DataFrame:
    """What was measured: columns rate [Mbit/s], jitter [ms], length [byte], window [packets],
    passed, low, high [%]."""
    rows = pd.concat(map(pd.DataFrame, specification["datasets"].values()))
    rows = rows[rows["window"] != "0"]  # without a window everything passes
    return pd.DataFrame(
        {
            "rate": rows["rate"].str.rstrip("M").astype(float),
            "jitter": rows["jitter"].astype(float),
            "length": rows["length"],
            "window": rows["window"],
            "passed": 100 * rows["value"],
            "low": 100 * rows["low"],
            "high": 100 * rows["high"],
        }
    )


def predictions(length: int) -> pd.DataFrame:
    """The model's share of packets that pass [%]: columns rate, jitter (places in RATES and
    JITTERS), window [packets], passed. `length`: payload of a packet [byte]."""
    return pd.DataFrame(
        {
            "rate": i,
            "jitter": j,
            "window": str(window),
            "passed": round(100 * accepted_share(window, rate * 1e6 / 8 / length, jitter / 1e3), 3),
        }
        for i, rate in enumerate(RATES)
        for j, jitter in enumerate(JITTERS)
        for window in WINDOWS
    )


def chart(measured: pd.DataFrame) -> alt.LayerChart:
    """Bars of the model at the chosen rate and jitter, and marks of what was measured there."""
    rate = alt.param("rate", RATES.index(100), bind=_slider("rate", RATES))
    jitter = alt.param("jitter", JITTERS.index(20), bind=_slider("jitter", JITTERS))
    chosen = f"datum.rate == {rate.name} && datum.jitter == {jitter.name}"
    axis = alt.Axis(labelAngle=0)
    x = alt.X("window:N", sort=list(map(str, WINDOWS)), title="window (packets)", axis=axis)
    y = alt.Y("passed:Q", title="packets that pass (%)", scale=alt.Scale(domain=[0, 100]))
    known = measured["rate"].isin(RATES) & measured["jitter"].isin(JITTERS)
    points = measured[known].assign(
        rate=lambda t: t["rate"].map(RATES.index), jitter=lambda t: t["jitter"].map(JITTERS.index)
    )
    bars = alt.Chart(predictions(int(measured["length"].iloc[0]))).transform_filter(chosen)
    found = alt.Chart(points).transform_filter(chosen)
    says = ["window", alt.Tooltip("passed", title="predicted, %")]
    seen = ["window", alt.Tooltip("passed", title="measured, %", format=".4g")]
    title = f"{list(RATES)}[rate] + ' Mbit/s, jitter ' + {list(JITTERS)}[jitter] + ' ms'"
    return (
        (
            bars.mark_bar(color="#56B4E9").encode(x=x, y=y, tooltip=says)
            + found.mark_rule(color="black").encode(x=x, y="low:Q", y2="high:Q")
            + found.mark_point(filled=True, size=60, color="black").encode(x=x, y=y, tooltip=seen)
        )
        .add_params(rate, jitter)
        .properties(width=420, height=240, title=alt.TitleParams(alt.ExprRef(title)))
    )


def _slider(name: str, values: tuple) -> alt.BindRange:
    return alt.binding_range(min=0, max=len(values) - 1, step=1, name=f"{name} ")
