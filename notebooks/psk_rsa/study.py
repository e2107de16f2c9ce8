"""The tables of Pratama 2025 beside ours: what the paper and the site quote of them."""

import altair as alt
import pandas as pd

from notebooks.psk_rsa.asks import ARMS, MBIT, MS, NETWORKS, RATES, PskRsa
from remeasure.paper.analysis.texts import ends_text, ratio_in_words
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.analysis.verdicts.study_tables import (
    compare_arms,
    comparison_table,
    estimate_of,
    side_by_side,
)
from remeasure.paper.notebook.charts.ratio_panels import ratio_panels
from remeasure.paper.notebook.numerals import in_words
from remeasure.paper.notebook.results import Results

LABELS = {
    ("ike_restarted", "ike_sa"): "IKE_SA set-up",
    ("latency", "rtt"): "RTT",
    ("latency", "jitter"): "jitter",
    ("loss", "loss"): "ICMP loss",
    **RATES,
}
SOURCES = {
    **dict.fromkeys(("study PSK", "study RSA", "study p"), "as the study prints it"),
    "p": "paired t-test over blocks",
    "p (Holm)": "the same, corrected for the number of rows",
}
"""column of `StudyTables.table` -> where its numbers come from"""


class StudyTables:
    """Each row of the study's tables with our estimate of it."""

    def __init__(self, of: PskRsa):
        self.of, self.results = of, of.notebook.results
        self.published = comparison_table(of.notebook.own_study)
        self.compared = compare_arms(of.estimators, self.published)

    def table(self) -> pd.DataFrame:
        return side_by_side(self.compared, LABELS)

    def chart(self) -> alt.TopLevelMixin:
        """Ratios of RSA to PSK, published and measured. A ratio of losses that may be zero has no
        interval."""
        origins = ["ours_psk_origin", "ours_rsa_origin", "diff_origin"]
        shown = self.compared[self.compared["metric"] != "loss"].drop(columns=origins)
        ratios = shown.rename(columns={"ratio_origin": "origin"}).assign(
            published=lambda t: t["rsa"] / t["psk"],
            panel=lambda t: t["network"] + " network",
            row=lambda t: [LABELS[key] for key in zip(t["probe"], t["metric"], strict=True)],
        )
        return ratio_panels(ratios, x_title="RSA / PSK")

    def without_suspects(self) -> pd.DataFrame:
        """The comparisons without suspect trials, and so without their blocks."""
        trials = self.of.notebook.trials
        kept = trials.loc[trials["verdict"] == "accepted", ["block", "trial"]]
        strict = {name: one.merge(kept) for name, one in self.of.estimators.items()}
        compared = compare_arms(strict, self.published)
        return compared[["id", "n", "diff", "diff_low", "diff_high", "p_t", "p_holm"]]

    def quote_published(self) -> None:
        """Hand over what the study prints, as the paper quotes it."""
        by_id = self.published.set_index("id")
        for name, key, digits, unit in (
            ("StudyIke", "ike-normal", 2, MS),
            ("StudyUdpUp", "udp-up-normal", 2, MBIT),
            ("StudyLoss", "loss-impaired", 0, r"\percent"),
        ):
            for auth in ARMS:
                value = by_id.loc[f"pratama-{key}", auth]
                source = f"published: pratama-{key}"
                self.results.number(name + auth.capitalize(), value, digits, unit, source)

    def quote_differences(self) -> None:
        """Hand over how set-up times differ, and the rate of an upload."""
        by_id, results = self.compared.set_index("id"), self.results
        for network in NETWORKS:
            row = by_id.loc[f"pratama-ike-{network}"]
            found, says = estimate_of(row, "diff"), f"RSA less PSK, {row.name}"
            name = f"IkeDiff{network.capitalize()}"
            if network == "normal":
                results.number(name, found, unit=MS, source=says)
            results.words(f"{name}Interval", ends_text(found), says)
        upload = by_id.loc["pratama-udp-up-normal"]
        says = "UDP upload, normal network, RSA over PSK"
        results.words("UdpUpRatio", ratio_in_words(estimate_of(upload, "ratio")), says)
        impaired = estimate_of(by_id.loc["pratama-udp-up-impaired"], "ratio")
        says = "UDP upload, impaired network, RSA over PSK"
        results.words("UdpUpRatioImpaired", text(impaired), says)
        source = "published: pratama-udp-up-normal"
        times, ratio = upload["psk"] / upload["rsa"], upload["rsa"] / upload["psk"]
        results.number("UdpUpTimes", times, 1, source=f"{source}, PSK over RSA")
        results.number("UdpUpStudy", ratio, 2, source=source)


def quote_significant(results: Results, compared: pd.DataFrame) -> pd.DataFrame:
    """Hand over how many differences are significant, here and in the study, and return ours."""
    significant = compared[compared["p_holm"] < 0.05]
    tested, ike = compared["p_t"].notna().sum(), (significant["metric"] == "ike_sa").sum()
    results.number("Comparisons", len(compared), 0, source="rows of the study's tables")
    declared = compared["significant"].sum()
    results.number("StudySignificant", declared, 0, source="as the study declared")
    ours = in_words(
        len(significant),
        none=f"none of our {tested} tests is significant",
        one=f"one of our {tested} tests is significant",
        many=f"{{}} of our {tested} tests are significant",
    )
    results.words("OursSignificant", ours, "paired t-test over blocks, Holm")
    of_ike = in_words(
        ike,
        none="none of these is of set-up time",
        one="one of these is of set-up time",
        many="{} of these are of set-up time",
    )
    of_ike = in_words(
        len(significant),
        none="those of set-up time are not either",
        one=f"it is {'' if ike else 'not '}one of set-up time",
        many=of_ike,
    )
    results.words("OursSignificantIke", of_ike, "of these, set-up times")
    return significant[["id", "diff", "diff_low", "diff_high", "p_t", "p_holm"]]
