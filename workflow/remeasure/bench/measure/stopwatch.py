"""How long a block in virtual time takes on this machine."""

import datetime
import os
import time
from collections.abc import Sequence
from pathlib import Path

from remeasure.bench.base.hashes import file_hash
from remeasure.bench.campaign.virtual_blocks import Measurement
from remeasure.bench.testbed.watching.facts import machine_facts


class Stopwatch:
    """Begins when it is made."""

    def __init__(self, software: str) -> None:
        """`software`: commit of this repository."""
        self._software = software
        self._start, self._begun = datetime.datetime.now(datetime.UTC), time.monotonic()

    def measurement(self, archive: Path, trials_ns: Sequence[int]) -> Measurement:
        """The measurement that ends now and gave `archive`, in trials of these durations by their
        own clocks [ns]."""
        return Measurement(
            sha256=file_hash(archive),
            start=self._start.isoformat(timespec="seconds"),
            seconds=round(time.monotonic() - self._begun, 1),
            virtual_seconds=round(sum(trials_ns) / 1e9, 1),
            trials=len(trials_ns),
            load=round(os.getloadavg()[0], 2),
            software=self._software,
            machine=machine_facts(),
        )
