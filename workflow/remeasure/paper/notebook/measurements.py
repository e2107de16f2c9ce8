"""Measurements of released blocks in virtual time: on which machine, and whether with the same
bytes."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.hashes import file_hash
from remeasure.bench.campaign.repetitions import read_repetitions
from remeasure.bench.campaign.virtual_blocks import read_machines

NOT_RECORDED = "not recorded"
_BEFORE, _AFTER = "before", "after"
"""whether a block was measured before it was released, or after"""


class Seen(NamedTuple):
    """One measurement of a released block."""

    block: str
    """<campaign>/<scenario>/<block>"""
    cpu: str
    """model of the machine's processor"""
    kernel: str
    system: str
    """the machine's distribution"""
    same: bool
    """whether the bytes are the released block's"""
    day: str
    release: str
    """before or after the release of the block"""


def seen(blocks: Iterable[Path]) -> Iterator[Seen]:
    """Yield each measurement of these released blocks in virtual time. Raises UserError if the
    table of repetitions has another hash of a block than its file."""
    known = {}
    for archive in blocks:
        released = file_hash(archive)
        name = f"{archive.parent.parent.name}/{archive.parent.name}/{archive.stem}"
        known[name] = released
        for one in read_machines(archive):
            machine = str(one.machine["cpu"]), str(one.machine["kernel"]), NOT_RECORDED
            yield Seen(name, *machine, one.sha256 == released, one.start[:10], _BEFORE)
    for row in read_repetitions():
        name = f"{row.campaign}/{row.scenario}/block-{row.block:02d}"
        if name not in known:
            continue
        if row.released != known[name]:
            raise UserError(
                f"repeated.csv: {name}: released: found {row.released}, expected {known[name]}, "
                "the hash of the block; remove the row"
            )
        same = row.same == "yes"
        yield Seen(name, row.cpu, row.kernel, row.system, same, row.date, _AFTER)
