"""What a notebook says of machines, where several measured its blocks."""

from collections import Counter
from collections.abc import Iterable

import pandas as pd
from IPython.display import Markdown

from remeasure.analysis.machine_effect import Machines
from remeasure.analysis.models.machine_differences import Differences, machine_differences
from remeasure.analysis.texts import estimate_text, number_text
from remeasure.claims.published import Published

_ALONE = (
    "Several machines measured these blocks, but each of them one block, or no cell in common: "
    "their levels cannot be compared. Intervals over blocks include what machines do differently."
)


def main_metric(observations: pd.DataFrame, studies: Iterable[Published]) -> str:
    """The observed metric that most tests of the studies' claims use; without claims, the metric
    with most values."""
    seen = observations["metric"].value_counts()
    asked = Counter(
        test.metric
        for study in studies
        for claim in study.claims
        for test in claim.tests
        if test.metric in seen
    )
    return asked.most_common(1)[0][0] if asked else str(seen.index[0])


def machine_tables(
    summaries: pd.DataFrame, metric: str, machines: Machines
) -> list[Markdown | pd.DataFrame]:
    """How machines differ in a metric, to be shown: nothing if one machine measured all blocks.
    `summaries` have the columns of analysis.summaries."""
    if not machines:
        return []
    found = machine_differences(summaries, metric, machines)
    if found is None:
        return [Markdown(f"**Machines.** {_ALONE}")]
    unit = str(summaries.loc[summaries["metric"] == metric, "unit"].iloc[0])
    heading = f"{metric}, {unit}" if unit else metric
    rows = [
        {
            "machine": level.machine,
            "blocks": level.blocks,
            heading: number_text(level.value),
            "over the mean of all machines": number_text(level.over),
        }
        for level in found.levels
    ]
    return [Markdown(_in_words(found, heading)), pd.DataFrame(rows, dtype=object)]


def _in_words(found: Differences, heading: str) -> str:
    count = len(found.levels)
    kind = "geometric mean" if found.geometric else "mean"
    tau = f"{number_text(100 * found.tau)} %" if found.geometric else number_text(found.tau)
    return (
        f"**Machines.** {count} machines measured these blocks. Estimates are made within each "
        "machine and combined, with machine as a random effect. Intervals are Student's with one "
        f"degree of freedom less than there are machines, here {count - 1}. The table has the "
        f"level of {heading} on each machine, as {kind} of all cells. Over all machines it is "
        f"{estimate_text(found.mean)}. Machines differ by a standard deviation of {tau} (tau) "
        f"beyond what the spread of blocks explains. Of the variance between their levels "
        f"{100 * found.share:.0f} % is between machines (I squared), and the rest is between "
        "blocks."
    )
