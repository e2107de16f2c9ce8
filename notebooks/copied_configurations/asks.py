"""Questions to the reports: shares of moments by template, event and version, and by settings."""

from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from notebooks.copied_configurations.pairs import CopiedEnd, CopiedTemplate, read_templates
from notebooks.copied_configurations.reading import KINDS, moments_of, read_reports
from remeasure.bench.base.paths import ROOT
from remeasure.bench.tryout.try_events import EVENTS
from remeasure.paper.analysis.texts import NO_NUMBER
from remeasure.paper.notebook.charts.theme import PAGE, PALETTE
from remeasure.paper.notebook.results import Results

SOURCE = "reports of remeasure try in data/copied"
_EVENTS = ["renewal", *EVENTS]
_QUESTIONS = {"leaked": "leaks", "stuck": "never back"}
_VERSIONS = ["5.9", "6.0", "6.1"]
_RULE = "a firewall rule loaded before the network"
_CURES = {
    "WireGuard": f"{_RULE}; PersistentKeepalive = 25 at an end that knows its peer's address",
    "XFRM interface": "start_action = trap at both ends",
    "traps at both ends": f"{_RULE}: a trap ends with strongSwan",
    "a trap at one end": f"start_action = trap at the other end, too; {_RULE}",
}
"""kind of settings -> its cure, if it is not the one of all others"""
_COUNTS = {
    "Leaking": ("leaked", "event != ''"),
    "ToTheEnd": ("to_the_end", "event != ''"),
    "Stuck": ("stuck", "event != ''"),
    "Interface": ("leaked", "kind == 'XFRM interface'"),
    "TrapsLeak": ("leaked", "kind == 'traps at both ends' and event == 'stop'"),
    "TrapsStuck": ("stuck", "kind == 'traps at both ends' and event.str.startswith('cut')"),
    "RestartStuck": ("stuck", "kind.str.startswith('dpd') and event in ('cut-5min', 'cut-1h')"),
    "TransportStopped": ("to_the_end", "mode == 'transport' and event == 'stop'"),
}
"""number -> question to a template at any moment, and the moments"""


class CopiedReports:
    """All reports, and the templates that have one."""

    def __init__(self, results: Results, folder: str | Path):
        self.results = results
        self.reports = read_reports(ROOT / folder)
        self.templates = {n: one for n, one in read_templates().items() if n in self.reports}
        self.moments = moments_of(self.reports)
        self.newest = self.moments[self.moments["newest"]]
        """moments with the newest version that takes the template"""

    def sources(self) -> str:
        """The templates with their sources and the settings that matter (Markdown)."""
        return "\n".join(_listed(name, one) for name, one in self.templates.items())

    def refused(self) -> pd.DataFrame:
        """Templates that a version refuses or cannot set up, and why."""
        rows = []
        for name, report in self.reports.items():
            rows += [(name, version, why) for version, why in report.refused.items()]
            for version, of in report.tries.items():
                if not of.set_up.answered:
                    words = (of.set_up.reason or {}).get("words", "no traffic passes")
                    rows.append((name, version, str(words)))
        return pd.DataFrame(rows, columns=["template", "strongSwan", "why"])

    def _shares(self) -> pd.DataFrame:
        keys = ["template", "event", "version"]
        return self.moments.groupby(keys, sort=False)[[*_QUESTIONS]].mean()

    def chart(self) -> Any:
        """Shares of moments, by template and event; in a field one strip for each version."""
        shares = self._shares().reset_index().rename(columns=_QUESTIONS)
        points = shares.melt(["template", "event", "version"], var_name="what", value_name="share")
        whole = alt.Scale(domain=[0, 1], range=[0, 1])
        header = alt.Header(title=None, labelFontWeight="bold")
        field = alt.Chart(points).mark_rect(stroke="#bbbbbb", strokeWidth=0.5, fill=PALETTE[3])
        return field.encode(
            x=alt.X("event:N", sort=_EVENTS, title=None),
            xOffset=alt.XOffset("version:N", scale=alt.Scale(domain=_VERSIONS)),
            y=alt.Y("template:N", sort=[*self.templates], title=None),
            fillOpacity=alt.FillOpacity("share:Q", scale=whole, legend=None),
            column=alt.Column("what:N", sort=[*_QUESTIONS.values()], header=header),
        ).properties(width=(PAGE - 190) // 2, height=13 * len(self.templates))

    def by_settings(self) -> pd.DataFrame:
        """Each kind of settings: its effects with the newest version, and its cure."""
        rows = []
        for kind, of in self.newest.groupby("kind"):
            happens = (f"{100 * of[what].mean():.0f} %" for what in _QUESTIONS)
            longest, count = of["leak_s"].max(), of["template"].nunique()
            cure = _CURES.get(str(kind), f"start_action = trap at both ends; {_RULE}")
            rows.append((kind, str(count), *happens, f"{longest:.3g} s" if longest else "-", cure))
        rows.sort(key=lambda row: [*KINDS].index(row[0]))
        columns = ["settings", "templates", *_QUESTIONS.values(), "longest leak", "cure"]
        return pd.DataFrame(rows, columns=columns)

    def hand_over(self) -> None:
        """Keep numbers for the answer."""
        publishers = {one.publisher for one in self.templates.values()}
        whole = {"Templates": self.templates, "Publishers": publishers, "Moments": self.moments}
        for name, of in whole.items():
            self.results.number(name, len(of), 0, source=f"{name.lower()} of {SOURCE}")
        for name, (what, where) in _COUNTS.items():
            found = self.newest.query(where, engine="python").groupby("template")[what].any()
            text = f"{found.sum() or 'none'} of {len(found)}" if len(found) else NO_NUMBER
            self.results.words(name, text, f"templates with {what}, of {SOURCE}")
        apart = (self._shares().groupby(["template", "event"]).nunique() > 1).any(axis=1)
        differing = int(apart.groupby("template").any().sum())
        self.results.count("Differing", differing, f"templates that differ, of {SOURCE}")
        tries = (one for report in self.reports.values() for one in report.tries.values())
        programs = {one.versions["strongSwan"] for one in tries if "strongSwan" in one.versions}
        self.results.words("Strongswan", ", ".join(sorted(programs)), f"versions in {SOURCE}")


def _listed(name: str, one: CopiedTemplate) -> str:
    ends = "; ".join(f"{end}: `{_settings(of)}`" for end, of in one.ends.items())
    ends += ("" if one.right else "; peer mirrored") + f"; ours: {one.assumed}" * bool(one.assumed)
    source = f"[{one.title}]({one.url}), {one.publisher}, {one.dated}"
    return f"- **{name}**: {source}, {one.form}, {one.traffic}. {ends}."


def _settings(of: CopiedEnd) -> str:
    parts = (of.connection, of.child, of.charon, of.interface, of.peer)
    told = (", ".join(f"{key} = {value}" for key, value in part.items()) for part in parts if part)
    return "; ".join(told) or "no setting"
