"""`remeasure`, with one fault injected while a block is measured.

It runs in the measuring process, inside the lab's namespaces, since only from there guests and
links can be reached. Nothing of `remeasure` is replaced: the fault comes from a thread that is
started when a probe begins, or just before the lab boots or the block is packed. The plan is in
REMEASURE_SABOTAGE, as JSON (grounds.LabGround).
"""

import json
import os
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1]))

from injections import inject

from remeasure.bench.campaign.staging import Staging
from remeasure.bench.lab.lab import Lab
from remeasure.bench.measure.trial import Trial
from remeasure.cli import main

BESIDE_PROBES = {"boot": (Lab, "_boot"), "pack": (Staging, "pack")}
"""moment -> the method before which it is"""


@dataclass
class Moment:
    """The reach of an injection while a probe runs."""

    trial: Trial
    probe: str

    @property
    def remotes(self):
        """Role -> the host, to run commands on it (testbed.remote.Remote)."""
        return self.trial.remotes

    def guest(self, role: str) -> int:
        """PID of the guest's kernel, in the lab's namespace."""
        return self.trial.remotes[role].host.process


def sabotage(plan: dict) -> None:
    """Wrap the method at which the fault is injected."""
    if plan["during"] not in BESIDE_PROBES:
        sabotage_probe(plan)
        return
    owner, name = BESIDE_PROBES[plan["during"]]
    method = getattr(owner, name)

    def sabotaged(*arguments):
        inject(None, plan["inject"])
        return method(*arguments)

    setattr(owner, name, sabotaged)


def sabotage_probe(plan: dict) -> None:
    """Wrap the one method in which a probe measures."""
    measure, done = Trial._measure, threading.Event()

    def sabotaged(trial: Trial, probe, stem: str) -> int:
        name = stem.rpartition("-")[0]
        met = done.is_set() and not (plan["each_attempt"] and stem.endswith("-01"))
        if name.split(".")[0] != plan["during"] or met:
            return measure(trial, probe, stem)
        done.set()

        def strike() -> None:
            time.sleep(plan["after_s"])
            inject(Moment(trial, name), plan["inject"])

        thread = threading.Thread(target=strike, daemon=True)
        thread.start()
        spent = measure(trial, probe, stem)
        # On a busy machine the run may end first; the fault then meets the next step.
        thread.join()
        return spent

    Trial._measure = sabotaged


if plan := os.environ.get("REMEASURE_SABOTAGE"):
    sabotage(json.loads(plan))
main()
