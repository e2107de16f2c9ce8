"""How often each kind of proof of treatment was asked for, and passed."""

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from remeasure.campaign.archive import BlockArchive

_KINDS = {
    "IKE_SA": r"IKE_SA", "suite and mode": r"CHILD_SA", "replay window": r"replay window",
    "SA carried packets": r"packets (in|out)$", "probe against SA": r"packets of the inbound SA",
    "probe against interface": r"packets received on", "no SA, no policy": r"SAs and policies",
    "link": r"tbf|netem|rate \(bit/s\)", "authentication": r"authenticated by",
}
"""kind -> what the name of its checks holds"""


def proof_counts(blocks: Sequence[Path], factor: str) -> pd.DataFrame:
    """One row a level of `factor`, one column a kind of check: 'passed/asked', blank where the kind
    does not apply."""
    rows = [{"level": trial.record["cell"][factor], "kind": _kind(check["name"]),
             "passed": check["passed"]}
            for path in blocks for trial in BlockArchive(path).trials
            for check in trial.record["checks"]]
    groups = pd.DataFrame(rows).groupby(["level", "kind"], sort=False)["passed"]
    counts = groups.agg(lambda passed: f"{passed.sum()}/{len(passed)}")
    table = counts.unstack(fill_value="")
    return table[[kind for kind in [*_KINDS, "other"] if kind in table]]


def _kind(name: str) -> str:
    return next((kind for kind, pattern in _KINDS.items() if re.search(pattern, name)), "other")
