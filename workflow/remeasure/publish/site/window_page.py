"""The page on which a reader sets rate and jitter, and sees which replay window to set and what
each lets pass. Bars and advice are those of the notebook's table
(analysis.models.window_advice)."""

import json
from collections.abc import Mapping
from pathlib import Path

import altair as alt
import pandas as pd

from remeasure.analysis.models.window_advice import Advice, advise, widened_share
from remeasure.digits import rounded_chart
from remeasure.ipsec.tunnel import LARGEST_WINDOW

RATES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Mbit/s"""
JITTERS = (0.5, 1, 2, 5, 10, 20, 30, 50)
"""standard deviation of the delay [ms]"""
WINDOWS = [2**power for power in range(5, LARGEST_WINDOW.bit_length())]


def window_page(figure: Path, words: Mapping[str, str]) -> str:
    """The page (Markdown with the chart's specification, which _static/charts.js draws). `figure`:
    specification of the figure `passing` of notebook replay_window, whose data are measured;
    `words`: what that notebook handed over, by name."""
    measured = measured_shares(json.loads(figure.read_text()))
    advice = advices(measured, words)
    document = json.dumps(rounded_chart(chart(measured, advice).to_dict())).replace("</", "<\\/")
    jitter = ", ".join(f"{value:g}" for value in sorted(measured["jitter"].unique()))
    rates = ", ".join(f"{value:g}" for value in sorted(measured["rate"].unique()))
    return f"""\
# What to set, and what a replay window lets pass

Set how fast packets are sent, and how much their delays differ. The chart says which
`replay_window` to set, and its bars which share of the packets that arrive each window lets pass.
Both come from one model: that of packets which leave evenly, widened by the most that bursts of a
real sender asked for. Marks with 95 % intervals are measured: at a jitter of {jitter} ms, and
{rates} Mbit/s. Where we measured a window that was enough, it is the one to set. Elsewhere nothing
was measured. Linux takes windows up to {LARGEST_WINDOW} packets.

<figure class="chart" id="window">
<p>Without scripts: <a href="notebooks/replay_window.html">the table of what to set</a>.</p>
<script type="application/json">{document}</script>
<figcaption id="window-says">Share of packets of {measured["length"].iloc[0]:g} bytes that pass, by
window, on a path that delays each packet by its own random time (normal distribution). Packets that
are smaller need a wider window.</figcaption>
</figure>

What to write into `swanctl.conf`, and what to do where no window is wide enough:
[notebook](notebooks/replay_window).
"""


def advices(measured: pd.DataFrame, words: Mapping[str, str]) -> list[list[Advice]]:
    """What to set, by places in RATES and JITTERS. `measured` is of `measured_shares`; `words` name
    the narrowest measured window that was enough at each rate."""
    (jitter,) = measured["jitter"].unique()
    enough = {
        float(words[f"Rate{name}"]): int(words[f"Advised{name}"])
        for name in ("Slow", "Middle", "Fast")
        if words[f"Advised{name}"].isdecimal()
    }
    length = int(measured["length"].iloc[0])
    return [
        [
            advise(_per_second(rate, length), ms / 1e3, enough.get(rate) if ms == jitter else None)
            for ms in JITTERS
        ]
        for rate in RATES
    ]


def _per_second(rate: float, length: int) -> float:
    """Packets of `length` bytes a second at a rate [Mbit/s]."""
    return rate * 1e6 / 8 / length


def _in_words(advice: Advice) -> str:
    """The line above the chart."""
    if advice.window is None:
        return f"set: none is wide enough (Linux takes {LARGEST_WINDOW})"
    return f"set: {advice.window}" + (" (measured)" if advice.measured else "")


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
    """The widened model's share of packets that pass [%]: columns rate, jitter (places in RATES and
    JITTERS), window [packets], passed. `length`: payload of a packet [byte]."""
    return pd.DataFrame(
        {
            "rate": i,
            "jitter": j,
            "window": str(window),
            "passed": round(
                100 * widened_share(window, _per_second(rate, length), jitter / 1e3), 3
            ),
        }
        for i, rate in enumerate(RATES)
        for j, jitter in enumerate(JITTERS)
        for window in WINDOWS
    )


def chart(measured: pd.DataFrame, advice: list[list[Advice]]) -> alt.LayerChart:
    """Bars of the model at the chosen rate and jitter, marks of what was measured there, and above
    them what to set (`advices`)."""
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
    chosen_here = f"{list(RATES)}[rate] + ' Mbit/s, jitter ' + {list(JITTERS)}[jitter] + ' ms'"
    says_here = f"{json.dumps([list(map(_in_words, row)) for row in advice])}[rate][jitter]"
    title = alt.TitleParams(alt.ExprRef(f"[{says_here}, {chosen_here}]"))
    return (
        (
            bars.mark_bar(color="#56B4E9").encode(x=x, y=y, tooltip=says)
            + found.mark_rule(color="black").encode(x=x, y="low:Q", y2="high:Q")
            + found.mark_point(filled=True, size=60, color="black").encode(x=x, y=y, tooltip=seen)
        )
        .add_params(rate, jitter)
        .properties(width=420, height=240, title=title)
    )


def _slider(name: str, values: tuple) -> alt.BindRange:
    return alt.binding_range(min=0, max=len(values) - 1, step=1, name=f"{name} ")
