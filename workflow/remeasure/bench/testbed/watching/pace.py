"""The pace of this machine: the processor time of a fixed computation. It tells a processor that
runs slower than before (its clock, its cooling, a neighbour on the same core) from one that others
use, of which the load tells: time in which this thread did not run is left out."""

import hashlib
import time

_HASHES = 2_500_000
"""about a second on processors of released campaigns"""


def pace_ns() -> int:
    """Compute SHA-512 over and over, by one thread, and return its processor time [ns]."""
    start = time.thread_time_ns()
    hashlib.pbkdf2_hmac("sha512", b"pace", b"pace", _HASHES)
    return time.thread_time_ns() - start
