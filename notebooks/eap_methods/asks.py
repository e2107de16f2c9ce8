"""Scenario eap-methods: methods of authentication by round trip."""

import itertools
import re
from collections.abc import Collection
from dataclasses import replace

import altair as alt
import pandas as pd

from notebooks.key_exchange_cost.asks import COLUMNS as EXCHANGES
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.models.authentication_delay import fit_delays, surplus
from remeasure.paper.analysis.summaries import trial_summaries
from remeasure.paper.analysis.texts import NO_NUMBER, number_text
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.analysis.verdicts.study_tables import Samples
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, AskedColumn, Asking, at, each, joined, ratio
from remeasure.paper.notebook.charts.set_ups import set_up_lines
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.virtual_time import VirtualTime
from remeasure.paper.words import words_of

MS = r"\milli\second"
_WORDS = words_of(__file__)
PROBES: dict[str, Asked] = _WORDS["probes"]
ECHO, DIRECT = PROBES["echo"], PROBES["direct"]
REGISTERED: Asked = {**DIRECT, "within": "median", "quantity": "ratio"}
"""the registered form of statements on delays: medians within a trial"""
HOSTS: dict[str, Asked] = _WORDS["hosts"]
OVER_MD5: Asked = {"quantity": "ratio", "to": {"method": "eap-md5"}}
TLS_COST = at(joined(HOSTS["initiator"], OVER_MD5), method="eap-tls-2-2")
COUNTS: dict[str, str] = _WORDS["counts"]
NAMES: dict[str, str] = _WORDS["names"]
GROUPS: dict[str, str] = _WORDS["groups"]
ENDS_THERE = {"initiator_cpu": "left_cpu", "responder_cpu": "right_cpu"}
"""metric of processor time -> its name in that scenario"""
IN_BOTH = [*NAMES, "rsa-4-4"]
"""methods in the tables of virtual time and of the paper"""
LINES: dict[str, AskedColumn] = _WORDS["lines"]
_LIBRARIES: dict[str, str] = _WORDS["libraries"]
SAMPLES = dict.fromkeys(_LIBRARIES, "samples of the study's profiler over those of EAP-MD5")
COUNTED: dict[str, str] = _WORDS["counted"]
CHAINS = {k: ratio(method=(f"{k}-4-4", f"{k}-2-2")) for k in ("eap-tls", "rsa", "ecdsa")}
"""chains of four certificates at both ends over chains of two, by kind of method"""
FAR: dict[str, str] = _WORDS["far"]
NEAR: dict[str, str] = _WORDS["near"]


class EapMethods:
    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook, scenario = notebook, notebook.scenario
        summaries = notebook.summarise(estimator)
        self.methods = each("method", notebook.measured("method"))
        tunnels = {m: scenario.settings_where(method=m).ipsec for m in self.methods}
        self.eap = [method for method, tunnel in tunnels.items() if tunnel and tunnel.eap]
        by_echo = set(summaries["method"][summaries["probe"] == "reauthentication"])
        self.studied = {m: part for m, part in self.methods.items() if m in by_echo}
        """methods measured by the study's protocol"""
        self.rtts = list(notebook.numbers("rtt"))
        self.near, self.far = self.rtts[0], self.rtts[-1]
        self.by_rtt = each("rtt", self.rtts, "{} ms")
        self._trips = dict(zip(self.by_rtt, notebook.numbers("rtt").values(), strict=True))
        """label of a mark -> round trip [ms]"""
        self.probes = {k: q for k, q in PROBES.items() if q["probe"] in set(summaries["probe"])}
        direct = notebook.observations.query("probe == 'direct'")
        means = direct.pivot_table("value", "method", "metric", observed=True)
        self.counts = means.reindex(index=list(self.methods), columns=list(COUNTS))
        """mean counts of each authentication in captures"""
        of_block = summaries.query("probe == 'direct'").pivot_table(
            index=["block", "method", "rtt"], columns="metric", values="value", observed=True
        )
        of_block = of_block.reset_index().rename(columns={"ike_exchanges": "exchanges"})
        self._of_blocks = of_block.assign(rtt=of_block["rtt"].map(notebook.numbers("rtt")))
        self.model = fit_delays(self._of_blocks, "direct")
        """one line over the round trip for all methods, by the exchanges that each takes"""
        self.virtual = VirtualTime(notebook)
        medians = trial_summaries(notebook.observations, notebook.tables.factors, "median")
        self.medians = Asking(notebook, medians)
        asks_aaa = (summaries["metric"] != "aaa_cpu") | summaries["method"].isin(self.eap)
        self.cost = Asking(notebook, summaries[asks_aaa])
        """processor time of hosts that take part in the method"""

    def exchanges(self) -> pd.DataFrame | None:
        """The table of scenario key-exchange-cost, from methods with a PSK at the shortest round
        trip; None for a campaign without its groups."""
        measured = {method: group for group, method in GROUPS.items() if method in self.methods}
        if not {*measured} - {*NAMES}:
            return None
        found = self.notebook.summaries
        found = found[found["method"].isin(measured) & (found["rtt"] == self.near)]
        found = found.assign(
            exchange=found["method"].map(measured), metric=found["metric"].replace(ENDS_THERE)
        )
        trials = Asking(self.notebook, found.drop(columns=["method", "rtt"]))
        return asked.table(trials, "exchange", each("exchange", measured.values()), EXCHANGES)

    def counted(self, metric: str) -> AskedColumn:
        return lambda method: f"{self.counts.loc[method, metric]:.0f}"

    def delays(self) -> pd.DataFrame:
        """Delays for the page My tunnel, as of asked.points, and the round trip `rtt` [ms]."""
        found = asked.points(self.notebook, self.methods, self.by_rtt, **DIRECT)
        return found.assign(rtt=found["level"].map(self._trips))

    def model_chart(self) -> alt.TopLevelMixin:
        """Delay over the round trip, with exchanges times round trip, and in virtual time."""
        shown = asked.points(self.notebook, self.methods, self.by_rtt, **DIRECT)
        virtual = asked.points(self.virtual, self.methods, self.by_rtt, **DIRECT)
        virtual = virtual.rename(columns={"value": "virtual"})[["row", "level", "virtual"]]
        shown = shown.merge(virtual, how="left", on=["row", "level"]).assign(
            method=shown["row"],
            rtt=shown["level"].map(self._trips),
            exchanges=shown["row"].map(self.counts["ike_exchanges"]),
        )
        return set_up_lines(shown, NAMES, self.notebook.unit("delay"))

    def samples(self) -> pd.DataFrame:
        """Processor time of the initiator over EAP-MD5: the study's samples, and ours."""
        printed = {row.method: row for row in self.notebook.own_study.rows("samples", Samples)}

        def theirs(field: str) -> AskedColumn:
            base = getattr(printed["eap-md5"], field)
            return lambda method: number_text(getattr(printed[method], field) / base)

        columns: dict[str, AskedColumn] = {t: theirs(field) for t, field in _LIBRARIES.items()}
        columns["ours"] = joined(HOSTS["initiator"], OVER_MD5)
        return self._table(columns, printed)

    def chains(self) -> pd.DataFrame:
        """CHAINS by quantity: direct delays by medians within a trial, everything else by means."""
        kinds = {k: q for k, q in CHAINS.items() if {f"{k}-2-2", f"{k}-4-4"} <= set(self.methods)}
        direct = {f"delay, direct, {rtt} ms": at(REGISTERED, rtt=rtt) for rtt in self.rtts}
        echoes = {f"delay, echo, {rtt} ms": at(ECHO, rtt=rtt) for rtt in self.rtts}
        sent: dict[str, Asked] = {
            COUNTS[metric]: {"metric": metric, "probe": "direct", "where": {"rtt": self.near}}
            for metric in ("ike_exchanges", "ike_bytes", "radius_bytes")
        }
        spent = {f"processor time, {host}": question for host, question in HOSTS.items()}
        by_medians = asked.table(self.medians, "quantity", direct, kinds)
        by_means = asked.table(self.cost, "quantity", {**echoes, **sent, **spent}, kinds)
        return pd.concat([by_medians, by_means], ignore_index=True)

    def in_both(self) -> pd.DataFrame:
        """Delay in virtual time, and computing, by method and round trip of the scenario."""
        what = {"protocol": self.virtual.estimate, "computing": self.virtual.excess}

        def field(name: str, rtt: str) -> AskedColumn:
            return lambda method: text(what[name](at(DIRECT, method=method, rtt=rtt)))

        cells = itertools.product(what, self.notebook.scenario.design.factors["rtt"])
        columns = {f"{name}, {rtt} ms": field(name, rtt) for name, rtt in cells}
        return self._table({"exchanges": self.counted("ike_exchanges"), **columns}, IN_BOTH)

    def overview(self) -> pd.DataFrame:
        """The paper's table: counts, delay by round trip, and processor time of the initiator."""
        columns: dict[str, AskedColumn] = {
            **{title: self.counted(metric) for title, metric in COUNTED.items()},
            **{rtt: at(DIRECT, rtt=rtt) for rtt in self.rtts},
            "initiator": HOSTS["initiator"],
        }
        rtts = list(self.notebook.scenario.design.factors["rtt"])
        shown = ["method", *COUNTED, *rtts, "initiator"]
        return self._table(columns, IN_BOTH).reindex(columns=shown, fill_value="")

    def _table(self, columns: dict[str, AskedColumn], methods: Collection[str]) -> pd.DataFrame:
        rows = {method: part for method, part in self.methods.items() if method in methods}
        return asked.table(self.notebook, "method", rows, columns)

    def replaced_blocks(self) -> pd.DataFrame:
        """Hand over and return the ratio of chains by the first and last version of blocks."""
        archives = map(BlockArchive, self.notebook.blocks)
        again = {one.number: int(one.block["block"]) for one in archives}
        first = {number: planned for number, planned in again.items() if number != planned}
        versions = {"first": {*again} - {*first.values()}, "last": {*again} - {*first}}
        rows, table = [], self.medians.summaries
        question = joined(REGISTERED, CHAINS["eap-tls"], {"where": {"rtt": self.near}})
        for version, blocks in versions.items():
            chosen = table[table["block"].isin(blocks)]
            found = self.notebook.estimate(question, summaries=chosen)
            if found.origin is not None:
                # Two estimates of the dataset must not share their words.
                told = f"{found.origin.says}; blocks {', '.join(map(str, sorted(blocks)))}"
                found = replace(found, origin=replace(found.origin, says=told))
            ratio, says = text(found), f"ratio of delays, {version} version of each block"
            self.notebook.results.words(f"Replaced{version.title()}", ratio, says)
            rows.append({"version": version, "blocks": len(blocks), "4-4 over 2-2": ratio})
        return pd.DataFrame(rows, dtype=object)

    def hand_over(self) -> None:
        notebook, results, far = self.notebook, self.notebook.results, self.far
        numbers = {name: at(DIRECT, method=method, rtt=far) for name, method in FAR.items()}
        numbers |= {name: at(DIRECT, method=m, rtt=self.near) for name, m in NEAR.items()}
        near = at(ECHO, rtt=self.near)
        counted: Asked = {"metric": "ike_exchanges", "probe": "direct"}
        numbers |= {
            "TlsEcho": joined(near, {"of": {"method": "tls"}}),
            "TlsPsk": joined(near, ratio(method=("tls", "psk"))),
            "TlsMd": joined(near, ratio(method=("tls", "eap-md5"))),
            "ChainEcho": joined(CHAINS["eap-tls"], near),
            "ChainExchanges": joined(CHAINS["eap-tls"], at(counted, rtt=far)),
        }
        asked.hand_over(notebook, numbers)
        registered = {
            "ChainDirect": at(CHAINS["eap-tls"], rtt=self.near),
            "ChainFar": at(CHAINS["eap-tls"], rtt=far),
            "RsaChainFar": at(CHAINS["rsa"], rtt=far),
        }
        asked.hand_over(self.medians, {n: joined(REGISTERED, q) for n, q in registered.items()})
        results.words("Trips", text(self.model.round_trips))
        results.number("Worst", self.model.worst, 1, MS, "largest residual of a cell's mean")
        for name, rtt in (("Middle", self.rtts[len(self.rtts) // 2]), ("Far", far)):
            longer = surplus(self._of_blocks, notebook.number("rtt", rtt), "direct")
            results.number(f"Surplus{name}", longer, unit=MS)
        results.number("Methods", len(self.methods), 0, source="methods measured")
        results.words("FarRtt", far, "longest round trip, ms")
        version = re.findall(r"Version ([\d.]+)", notebook.where["tools"]["freeradius"])
        results.words("Freeradius", [*version, NO_NUMBER][0], "freeradius -v on the guests")
        self._virtual_beyond()

    def _virtual_beyond(self) -> None:
        """Keep the most that a delay in virtual time exceeds the round trips of its exchanges."""
        far = {name: part for name, part in self.by_rtt.items() if self._trips[name]}
        found = asked.points(self.virtual, self.methods, far, **DIRECT)
        trips = found["level"].map(self._trips).astype(float)
        beyond = found["value"] - found["row"].map(self.counts["ike_exchanges"]) * trips
        says = "virtual time: delay less round trips of the exchanges, most of any method and "
        of = map(Estimate.of_row, found.itertuples())
        self.notebook.results.number(
            "VirtualBeyond", beyond.max(), 2, MS, f"{says}round trip", made_from=of
        )
