"""Holds a clone for one Snakemake at a time."""

import fcntl
import os
from pathlib import Path

from remeasure.bench.base.errors import UserError, advice

RUNNING = Path(".snakemake/running")
"""file locked by the running Snakemake"""
RESULTS = Path("results")


def lock() -> None:
    """Lock this clone and its results. Unlike Snakemake's own lock these end with the process, even
    if the process is killed. Raises UserError where another Snakemake is at work, or a file cannot
    be made."""
    place = Path("this folder")
    try:
        fcntl.flock(
            os.open(RUNNING, os.O_WRONLY | os.O_CREAT, 0o666), fcntl.LOCK_EX | fcntl.LOCK_NB
        )
        # Results may be a link to a folder that another clone has, too.
        place = RESULTS
        RESULTS.mkdir(exist_ok=True)
        fcntl.flock(os.open(RESULTS, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UserError(f"another snakemake is at work in {place}; wait for it to end") from None
    except OSError as error:
        error.filename = error.filename or place
        raise UserError(advice(error) or f"{error.filename}: {error.strerror}") from None
