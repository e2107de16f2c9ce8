"""How reports of `remeasure try` are read: one row for each moment of an event, with two questions.

    leaked     a packet left a gateway unprotected, were it one
    stuck      the tunnel was not back when we ended to watch

A renewal counts as one moment if the daemons plan it themselves. Settings are told apart by
properties of both ends, in the order of KINDS: the first one that holds.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from notebooks.copied_configurations.pairs import CopiedTemplate, read_templates
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_text
from remeasure.bench.base.paths import ROOT
from remeasure.bench.tryout.try_answers import TryAnswers, TryReport

REPORTS = ROOT / "data" / "copied"
KINDS: dict[str, Callable[[CopiedTemplate], bool]] = {
    "WireGuard": lambda of: of.form == "wg-quick",
    "XFRM interface": lambda of: of.having("if_id_in") > 0,
    "traps at both ends": lambda of: of.having("start_action", "trap") == 2,
    "a trap at one end": lambda of: of.having("start_action", "trap") == 1,
    "dpd_action = restart, no trap": lambda of: of.having("dpd_action", "restart", "start") > 0,
    "start_action = start, nothing else": lambda of: of.having("start_action", "start") > 0,
    "no action at all": lambda of: True,
}
"""kind of settings -> whether a template is of it"""


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
        about = {"template": name, "kind": next(kind for kind, holds in KINDS.items() if holds(of))}
        about["mode"] = "transport" if of.having("mode", "transport") else "tunnel"
        for version, answers in report.tries.items():
            where = about | {"version": version, "newest": version == max(report.tries)}
            keys = ("event", "leak_s", "to_the_end", "stuck")
            rows += [where | dict(zip(keys, one)) for one in _moments(answers)]
    return pd.DataFrame(rows).eval("leaked = leak_s > 0")


def _moments(answers: TryAnswers) -> Iterable[tuple[str, float, bool, bool]]:
    for one in (one for one in answers.renewals.values() if one.planned):
        yield "renewal", max(one.leaked_s.values()), False, not one.up
    for event in answers.events:
        for at in (at for moments in event.ends.values() for at in moments):
            still, stuck = any(at.leaks_still.values()), at.back_s is None
            yield event.event, max(at.leaked_s.values()), still, stuck
