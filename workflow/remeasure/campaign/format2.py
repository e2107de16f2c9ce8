"""Conversion of block archives of format 2 and before to the present format, as they are read.

Fields that may be missing:

  block.json  sessions[].guests     own_machine, own_kernel, emulated, virtual_clock: what the hosts
                                    were followed from the name of the back end (`backend`)

A field that is there is kept: newer software may have finished a block that older software began.
"""

from remeasure.testbed.nature import (
    ON_VIRTUAL_CLOCK,
    OWN_MACHINES,
    Nature,
    hosts_on_one_machine,
)

_EMULATING = "tcg"
"""accelerator of those days that translates every instruction"""


def upgrade_block(block: dict) -> dict:
    """Convert the content of block.json."""
    return block | {
        "sessions": [
            session | {"guests": {**_nature(session["guests"]), **session["guests"]}}
            for session in block["sessions"]
        ]
    }


def _nature(guests: dict) -> Nature:
    """What the hosts of a back end of those days were; of one that is not ours, guests, as back
    ends are unless they say otherwise."""
    emulated = guests["accelerator"] == _EMULATING
    return {
        "ssh": OWN_MACHINES,
        "virtual": ON_VIRTUAL_CLOCK,
        "netns": hosts_on_one_machine(own_kernel=False, emulated=False),
    }.get(guests["backend"], hosts_on_one_machine(own_kernel=True, emulated=emulated))
