"""The pace of this machine's cores: how long the same work takes from moment to moment.

    with Pace() as pace:
        ...                                # the measurement
        microseconds = pace.between(start_ns, end_ns)

Neighbours of a virtual machine slow its cores, and neither steal nor foreign processor use shows
it. A process on each core does a fixed piece of work every INTERVAL_S and notes its processor time.
The work is the first touch of memory pages: guests of User Mode Linux spend much of their time on
page faults, too. It takes less than 1 % of each core.
"""

import mmap
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean, median

PAGES = 200
"""pages that are touched each time"""
INTERVAL_S = 0.2


class Pace:
    """Watches every core that this process may use, as a context manager."""

    def __enter__(self) -> "Pace":
        self._folder = tempfile.TemporaryDirectory()
        self._files, self._watchers = [], []
        for core in sorted(os.sched_getaffinity(0)):
            file = Path(self._folder.name) / f"core-{core}"
            with file.open("w") as output:
                watch = [sys.executable, __file__, str(core)]
                self._watchers.append(subprocess.Popen(watch, stdout=output))
            self._files.append(file)
        return self

    def __exit__(self, *_: object) -> None:
        for watcher in self._watchers:
            watcher.terminate()
            watcher.wait()
        self._folder.cleanup()

    def between(self, start_ns: int, end_ns: int) -> float:
        """The mean over cores of the median time of the work [us] between two moments [ns since the
        epoch]. Raises ValueError if a core did no work meanwhile."""
        return fmean(median(_took(file, start_ns, end_ns)) / 1000 for file in self._files)


def _took(file: Path, start_ns: int, end_ns: int) -> list[int]:
    pairs = (line.split() for line in file.read_text().splitlines())
    found = [int(took) for moment, took in pairs if start_ns <= int(moment) <= end_ns]
    if not found:
        raise ValueError(f"{file.name}: found no work between {start_ns} and {end_ns} ns")
    return found


def watch(core: int) -> None:
    """Work on a core again and again, and print when [ns since the epoch] and how long [ns]."""
    os.sched_setaffinity(0, {core})
    while True:
        began = time.thread_time_ns()
        with mmap.mmap(-1, PAGES * mmap.PAGESIZE) as memory:
            for page in range(0, len(memory), mmap.PAGESIZE):
                memory[page] = 1
        took = time.thread_time_ns() - began
        print(time.time_ns(), took, flush=True)
        time.sleep(INTERVAL_S)


if __name__ == "__main__":
    watch(int(sys.argv[1]))
