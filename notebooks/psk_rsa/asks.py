"""Scenario psk-rsa: two arms (PSK, RSA) on two networks."""

import math
from collections.abc import Collection

import altair as alt
import pandas as pd

from remeasure.paper.analysis import texts
from remeasure.paper.analysis.models.packet_balance import replay_drops
from remeasure.paper.analysis.summaries import Tables, trial_summaries
from remeasure.paper.analysis.verdicts import study_tables
from remeasure.paper.analysis.verdicts.sensitivity import of_estimators
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, AskedParts, Asking, at
from remeasure.paper.notebook.charts.ratio_panels import ratio_panels
from remeasure.paper.notebook.charts.theme import NAMES, PAGE, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.strongswan_versions import Versions
from remeasure.paper.notebook.virtual_time import VirtualTime
from remeasure.paper.words import words_of

ARMS = {"psk": "PSK", "rsa": "RSA"}
NETWORKS = ["normal", "impaired"]
MS, MBIT, PERCENT = r"\milli\second", r"\mega\bit\per\second", r"\percent"


_WORDS = words_of(__file__)
IKE: dict[str, Asked] = _WORDS["ike"]
CHILD: dict[str, Asked] = _WORDS["child"]
RATES: dict[str, Asked] = _WORDS["rates"]
TIMES: dict[str, Asked] = _WORDS["times"]
GOODPUT = {f"{way}, Mbit/s": RATES[way] for way in ("UDP up", "UDP down", "TCP up", "TCP down")}
SET_UP = TIMES["IKE_SA set-up, log, ms"]
LOSS: Asked = {"probe": "loss", "metric": "loss"}
GAPS: dict[str, Asked] = _WORDS["gaps"]
"""log time less wire time of a set-up, by how the daemon was started"""
REPLAY: Asked = {"probe": "udp_up", "metric": "replay_drops"}
OF_ARMS: dict[str, tuple[Asked, str, str]] = _WORDS["of_arms"]
WIRE: Asked = {"metric": "ike_wire"}
CELLS: dict[str, Asked] = _WORDS["cells"]
EVERY_CELL: dict[str, Asked] = _WORDS["every_cell"]


class PskRsa:
    """The trials of scenario psk-rsa, by arm and network."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook, factors = notebook, notebook.tables.between
        gaps = log_minus_wire(notebook.observations, factors)
        drops = replay_drops(notebook.counters, notebook.observations, factors, "gw2")
        notebook.summarise(
            estimator,
            notebook.per_megabyte("cpu_per_megabyte", notebook.scenario.topology.gateways),
            # Means are arithmetic without a unit, which differences of times lack.
            gaps.assign(metric="log_less_wire", unit=""),
            drops.assign(metric="replay_drops", unit="%"),
            waits(notebook.tables),
        )
        self.estimators = of_estimators(
            notebook.observations, notebook.tables.factors, notebook.summaries
        )
        """summaries by estimator of a trial's value from its readings"""
        self.medians = Asking(notebook, self.estimators["median"])
        self.virtual = VirtualTime(notebook, "median", self.medians.summaries)
        self.virtual.add(waits(self.virtual.tables))

    def by_network(
        self, quantities: AskedParts, x_title: str, log: Collection[str] = ()
    ) -> alt.HConcatChart:
        """A panel for each network, a row for each quantity; logarithmic for networks in `log`."""
        panels = (
            asked.chart(
                self.notebook,
                quantities,
                {title: {"at": {"auth": auth}} for auth, title in ARMS.items()},
                common={"where": {"network": network}},
                legend="authentication",
                x_title=x_title,
                width=panel(PAGE, 2, beside=NAMES),
                scale=alt.Scale(type="log") if network in log else alt.Scale(zero=False),
            ).properties(title=f"{network} network")
            for network in NETWORKS
        )
        return alt.hconcat(*panels, spacing=14)

    def in_both(self, quantities: AskedParts, arms: Collection[str]) -> pd.DataFrame:
        """The table of `quantities` in virtual and in real time, for each network and arm."""
        ends = {auth: f", {ARMS[auth]}" if len(arms) > 1 else "" for auth in arms}
        rows = {
            f"{label}, {network}{end}": at(question, auth=auth, network=network)
            for label, question in quantities.items()
            for network in NETWORKS
            for auth, end in ends.items()
        }
        return self.virtual.beside("quantity", rows)

    def acknowledgements(self) -> dict[str, float]:
        """Packets back for 100 of an impaired TCP download, in Virtual and in Real time."""
        asked_of = "probe == 'tcp_down' and network == 'impaired' and counter == 'sa_in_packets'"
        shares = {}
        for time, one in (("Virtual", self.virtual), ("Real", self.notebook)):
            packets = one.tables["counters"].query(asked_of).groupby("host", observed=True)
            sums = packets["change"].sum()
            shares[time] = 100 * sums.get("gw2", math.nan) / sums.get("gw1", math.nan)
        return shares

    def hand_over(self) -> None:
        """Keep estimates of cells, and counts of set-ups."""
        notebook, results = self.notebook, self.notebook.results
        for auth in ARMS:
            for name, (question, network, unit) in OF_ARMS.items():
                found = notebook.estimate(at(question, auth=auth, network=network))
                results.number(name.format(auth.title()), found, unit=unit)
            lost = {f"Loss{auth.title()}Impaired": at(LOSS, auth=auth, network="impaired")}
            asked.hand_over(notebook, lost, texts.loss_in_words)
            virtual = self.virtual.estimate(at(SET_UP, auth=auth, network="normal"))
            results.number(f"VirtualIke{auth.title()}", virtual, unit=MS)
        for time, packets in self.acknowledgements().items():
            says = "acknowledgements for 100 packets of a TCP download, impaired"
            results.number(f"Acks{time}", packets, 1, source=says)
        observations = notebook.observations
        timed = observations[observations["metric"] == "child_rekey"]
        says = "rekeyings of an idle CHILD_SA that were timed"
        for network in NETWORKS:
            notebook.quote(f"Rekey{network.title()}", metric="child_rekey", at={"network": network})
            count = (timed["network"] == network).sum()
            results.number(f"Rekeyings{network.title()}", count, 0, source=f"{says}, {network}")
        untimed = (observations["metric"] == "ike_sa").sum() - len(timed)
        results.count("RekeyingsUntimed", untimed, "set-ups less rekeyings that were timed")


def waits(tables: Tables) -> pd.DataFrame:
    """Summaries of the wait of a request for its last fragment, over the mean of its fragments
    [ms], without a unit, so that their means are arithmetic."""
    observations = tables["observations"]
    found = observations[observations["metric"] == "auth_request_wait"]
    return trial_summaries(found, tables.factors, "mean").assign(metric="request_wait", unit="")


def log_minus_wire(observations: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """One row per trial and probe: `value`, the mean difference [ms] of metrics ike_sa and ike_wire
    over negotiations without a retransmission. A request that netem drops never reaches the
    capture: in such a negotiation the two metrics would time different exchanges."""
    keys = ["block", "trial", *factors, "probe", "repeat"]
    known = observations[observations["metric"].isin(["ike_sa", "ike_wire", "ike_retransmits"])]
    times = known.pivot_table(index=keys, columns="metric", values="value", observed=True)
    clean = times[times["ike_retransmits"] == 0]
    gap = (clean["ike_sa"] - clean["ike_wire"]).dropna().rename("value")
    return gap.groupby(keys[:-1], observed=True).mean().reset_index()


# The tables of Pratama 2025 and ours

LABELS = {
    ("ike_restarted", "ike_sa"): "IKE_SA set-up",
    ("latency", "rtt"): "RTT",
    ("latency", "jitter"): "jitter",
    ("loss", "loss"): "ICMP loss",
    **{(question["probe"], question["metric"]): label for label, question in RATES.items()},
}
"""probe and metric -> their name in tables of the study's comparisons"""
SOURCES: dict[str, str] = _WORDS["sources"]


class StudyTables:
    """Each row of the study's tables with our estimate of it."""

    def __init__(self, trials: PskRsa):
        notebook = trials.notebook
        self.results = notebook.results
        self.published = study_tables.comparison_table(notebook.own_study)
        self.compared = study_tables.compare_arms(trials.estimators, self.published)

    def table(self) -> pd.DataFrame:
        return study_tables.side_by_side(self.compared, LABELS)

    def chart(self) -> alt.TopLevelMixin:
        """Ratios of RSA to PSK, published and measured, but of losses, which may be zero."""
        origins = ["ours_psk_origin", "ours_rsa_origin", "diff_origin"]
        shown = self.compared[self.compared["metric"] != "loss"].drop(columns=origins)
        ratios = shown.rename(columns={"ratio_origin": "origin"}).assign(
            published=lambda t: t["rsa"] / t["psk"],
            panel=lambda t: t["network"] + " network",
            row=lambda t: [LABELS[key] for key in zip(t["probe"], t["metric"], strict=True)],
        )
        return ratio_panels(ratios, x_title="RSA / PSK")

    def hand_over(self) -> pd.DataFrame:
        """Keep the study's numbers, the differences of set-up times and rates, and numbers of
        significant differences in the study and here. Returns ours."""
        self._published()
        by_id, results = self.compared.set_index("id"), self.results
        for network in NETWORKS:
            found = study_tables.estimate_of(by_id.loc[f"pratama-ike-{network}"], "diff")
            says, name = f"RSA less PSK, pratama-ike-{network}", f"IkeDiff{network.title()}"
            if network == "normal":
                results.number(name, found, unit=MS, source=says)
            results.words(f"{name}Interval", texts.ends_text(found), says)
        ratio = study_tables.estimate_of(by_id.loc["pratama-udp-up-impaired"], "ratio")
        says = "UDP upload, impaired network, RSA over PSK"
        results.words("UdpUpRatioImpaired", texts.estimate_text(ratio), says)
        significant = self.compared[self.compared["p_holm"] < 0.05]
        tested = self.compared["p_t"].notna().sum()
        says = "differences that are significant: paired t-test over blocks, Holm"
        results.number("OursTested", tested, 0, source="differences that have such a test")
        results.count("OursSignificant", len(significant), says)
        return significant[["id", "diff", "diff_low", "diff_high", "p_t", "p_holm"]]

    def _published(self) -> None:
        by_id, results = self.published.set_index("id"), self.results
        for name, key, digits, unit in (
            ("StudyIke", "ike-normal", 2, MS),
            ("StudyUdpUp", "udp-up-normal", 2, MBIT),
            ("StudyLoss", "loss-impaired", 0, PERCENT),
        ):
            for auth in ARMS:
                value, says = by_id.loc[f"pratama-{key}", auth], f"published: pratama-{key}"
                results.number(name + auth.title(), value, digits, unit, says)
        upload, says = by_id.loc["pratama-udp-up-normal"], "published: pratama-udp-up-normal"
        times = upload["psk"] / upload["rsa"]
        results.number("UdpUpTimes", times, 1, source=f"{says}, PSK over RSA")
        results.number("UdpUpStudy", 1 / times, 2, source=says)
        results.number("Comparisons", len(by_id), 0, source="rows of the study's tables")
        declared = by_id["significant"].sum()
        results.number("StudySignificant", declared, 0, source="as the study declared")


def hand_over_versions(notebook: ScenarioNotebook, versions: Versions) -> None:
    """Keep how much set-ups differ between versions of strongSwan."""
    apart, pairs = versions.apart("ike_wire")
    says = "largest difference of a set-up on the wire between versions, virtual time"
    notebook.results.number("VersionsApart", 1e3 * apart, 0, r"\micro\second", says)
    notebook.results.number("VersionsSetUps", pairs, 0, source="set-ups that all versions have")
    bytes_apart, _ = versions.apart("ike_messages", "ike_bytes")
    alike = texts.NO_NUMBER if math.isnan(bytes_apart) else "other" if bytes_apart else "the same"
    notebook.results.words("VersionsBytes", alike, "messages and bytes of each set-up")
    versions.words("Versions")
