"""What each processor did with packets before any protocol saw them, as Linux prints it in
/proc/net/softnet_stat."""

import re
from dataclasses import dataclass

_LINE = re.compile(r"[0-9a-f]+( [0-9a-f]+)* ?")
"""the form of a line; int() alone would take digits of any script, signs and underscores"""


@dataclass(frozen=True)
class Softnet:
    """Packets of one processor, since the host started."""

    cpu: int
    received: int
    dropped: int
    """those that found its queue full (net.core.netdev_max_backlog): no SA and no protocol counts
    them, but their interface did"""
    handed: int
    """those that another processor handed to it (RPS)"""


def read_softnet(text: str) -> list[Softnet]:
    """One line of hexadecimal numbers for each processor. Raises ValueError if a line is of another
    form."""
    found = []
    for line in text.splitlines():
        if not _LINE.fullmatch(line):
            raise ValueError(f"{line[:60]!r}: expected hexadecimal numbers")
        fields = [int(field, 16) for field in line.split()]
        if len(fields) < 13:
            raise ValueError(f"{line[:60]!r}: expected 13 numbers or more")
        found.append(
            Softnet(cpu=fields[12], received=fields[0], dropped=fields[1], handed=fields[9])
        )
    return found
