"""How often each kind of proof of treatment was asked for, and passed."""

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from remeasure.campaign.archive import BlockArchive

_KINDS = {
    "EAP identity": r"remote-eap-id",
    "IKE_SA": r"IKE_SA",
    "suite and mode": r"CHILD_SA",
    "replay window": r"replay window",
    "SA carried packets": r"packets (in|out)$",
    "SA of each processor": r"processors (with an SA|whose SA)",
    "steering": r"steering",
    "probe against SA": r"(packets|bytes) of the inbound SA",
    "probe against interface": r"(packets|bytes) received on",
    "no SA, no policy": r"SAs and policies",
    "link": r"tbf|netem|rate \(bit/s\)",
    "authentication": r"authenticated by|used EAP",
    "chain": r"intermediate certificates",
    "number of messages": r"exchanges|EAP types",
    "echo waited": r"echoes answered|on demand",
}
"""kind -> what the name of its checks holds"""
_LAST = ("suite and mode", "no SA, no policy")
"""kinds that are asked when a trial's probes have run"""


def proof_counts(blocks: Sequence[Path], factor: str) -> pd.DataFrame:
    """One row a level of `factor`: its trials, those that came as far as the proof of their
    treatment, and for each kind of check 'passed/asked', blank where the kind does not apply."""
    trials = [trial.record for path in blocks for trial in BlockArchive(path).trials]
    reached = (
        pd.DataFrame(
            [
                {
                    "level": r["cell"][factor],
                    "proven": any(_kind(c["name"]) in _LAST for c in r["checks"]),
                }
                for r in trials
            ]
        )
        .groupby("level")["proven"]
        .agg(["size", "sum"])
    )
    rows = [
        {"level": record["cell"][factor], "kind": _kind(check["name"]), "passed": check["passed"]}
        for record in trials
        for check in record["checks"]
    ]
    groups = pd.DataFrame(rows).groupby(["level", "kind"], sort=False)["passed"]
    counts = groups.agg(lambda passed: f"{passed.sum()}/{len(passed)}")
    table = counts.unstack(fill_value="")
    table = table[[kind for kind in [*_KINDS, "other"] if kind in table]]
    return reached.rename(columns={"size": "trials", "sum": "reached the proof"}).join(table)


def _kind(name: str) -> str:
    return next((kind for kind, pattern in _KINDS.items() if re.search(pattern, name)), "other")
