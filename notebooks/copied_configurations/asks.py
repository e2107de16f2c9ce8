"""Questions to reports of `remeasure try`: shares of moments by template, event and version, and by
settings. A moment of an event is one row, with two questions:

    leaked     a packet left a gateway unprotected, were it one
    stuck      the tunnel was not back when we ended to watch

A renewal counts as one moment if the daemons plan it themselves.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from notebooks.copied_configurations.pairs import CopiedEnd, CopiedTemplate, read_templates
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_text
from remeasure.bench.base.paths import ROOT
from remeasure.bench.tryout.try_answers import TryAnswers, TryReport
from remeasure.bench.tryout.try_events import EVENTS
from remeasure.paper.analysis.texts import NO_NUMBER
from remeasure.paper.notebook.charts.theme import PAGE, PALETTE
from remeasure.paper.notebook.results import Results

SOURCE = "reports of remeasure try in data/copied"
_QUESTIONS = {"leaked": "leaks", "stuck": "never back"}
_RULE = "a firewall rule loaded before the network"
_TRAPS = f"start_action = trap at both ends; {_RULE}"
_OTHER_TRAP = f"start_action = trap at the other end, too; {_RULE}"
_AWAY = f"{_RULE}: a trap ends with strongSwan"
_KEEPALIVE = f"{_RULE}; PersistentKeepalive = 25 at an end that knows its peer's address"
KINDS: dict[str, tuple[Callable[[CopiedTemplate], int], str]] = {
    "WireGuard": (lambda of: of.form == "wg-quick", _KEEPALIVE),
    "XFRM interface": (lambda of: of.having("if_id_in"), "start_action = trap at both ends"),
    "traps at both ends": (lambda of: of.having("start_action", "trap") == 2, _AWAY),
    "a trap at one end": (lambda of: of.having("start_action", "trap"), _OTHER_TRAP),
    "dpd_action = restart, no trap": (
        lambda of: of.having("dpd_action", "restart", "start"),
        _TRAPS,
    ),
    "start_action = start, nothing else": (lambda of: of.having("start_action", "start"), _TRAPS),
    "no action at all": (lambda of: True, _TRAPS),
}
"""kind of settings -> whether a template is of it, if it is of none before, and its cure"""
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
            x=alt.X("event:N", sort=["renewal", *EVENTS], title=None),
            xOffset=alt.XOffset("version:N", scale=alt.Scale(domain=["5.9", "6.0", "6.1"])),
            y=alt.Y("template:N", sort=[*self.templates], title=None),
            fillOpacity=alt.FillOpacity("share:Q", scale=whole, legend=None),
            column=alt.Column("what:N", sort=[*_QUESTIONS.values()], header=header),
        ).properties(width=(PAGE - 190) // 2, height=13 * len(self.templates))

    def by_settings(self) -> pd.DataFrame:
        """Each kind of settings: its effects with the newest version, and its cure."""
        rows = []
        for kind, (_, cure) in KINDS.items():
            of = self.newest[self.newest["kind"] == kind]
            happens = (f"{100 * of[what].mean():.0f} %" for what in _QUESTIONS)
            longest = f"{of['leak_s'].max():.3g} s" if of["leaked"].any() else "-"
            if len(of):
                rows.append((kind, str(of["template"].nunique()), *happens, longest, cure))
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


def read_reports(folder: Path) -> dict[str, TryReport]:
    """Template -> its report, in the templates' order. Raises UserError for one of no template."""
    names, found = list(read_templates()), {path.stem: path for path in folder.glob("*.json")}
    for name in sorted(found.keys() - {*names}):
        raise UserError(f"{found[name]}: found no template of this name, expected one; remove it")
    read = TryReport.model_validate_json
    return {name: read(read_text(found[name])) for name in names if name in found}


def moments_of(reports: Mapping[str, TryReport]) -> pd.DataFrame:
    """One row for each moment: template, kind, mode, version, newest (no newer version takes the
    template), event, leaked, to_the_end (it leaked to the end), stuck, leak_s."""
    templates, rows = read_templates(), list[dict[str, Any]]()
    for name, report in reports.items():
        of = templates[name]
        about = {
            "template": name,
            "kind": next(one for one, (holds, _) in KINDS.items() if holds(of)),
        }
        about["mode"] = "transport" if of.having("mode", "transport") else "tunnel"
        for version, answers in report.tries.items():
            where = about | {"version": version, "newest": version == max(report.tries)}
            rows += [where | one for one in _moments(answers)]
    return pd.DataFrame(rows).eval("leaked = leak_s > 0")


def _moments(answers: TryAnswers) -> Iterator[dict[str, Any]]:
    for one in (one for one in answers.renewals.values() if one.planned):
        effect = {"leak_s": max(one.leaked_s.values()), "to_the_end": False, "stuck": not one.up}
        yield {"event": "renewal", **effect}
    for event in answers.events:
        for at in chain(*event.ends.values()):
            effect = {"leak_s": max(at.leaked_s.values()), "stuck": at.back_s is None}
            yield {"event": event.event, **effect, "to_the_end": any(at.leaks_still.values())}


def _listed(name: str, one: CopiedTemplate) -> str:
    ends = "; ".join(f"{end}: `{_settings(of)}`" for end, of in one.ends.items())
    ends += ("" if one.right else "; peer mirrored") + f"; ours: {one.assumed}" * bool(one.assumed)
    source = f"[{one.title}]({one.url}), {one.publisher}, {one.dated}"
    return f"- **{name}**: {source}, {one.form}, {one.traffic}. {ends}."


def _settings(of: CopiedEnd) -> str:
    parts = (of.connection, of.child, of.charon, of.interface, of.peer)
    told = (", ".join(f"{key} = {value}" for key, value in part.items()) for part in parts if part)
    return "; ".join(told) or "no setting"
