"""Which machine measured each block, by the records of blocks.

Tables say so in their metadata, and only of campaigns that several machines measured: the many
rows of a block would all repeat it, and where there is one machine its name changes no estimate.
"""

from collections.abc import Iterable, Mapping
from typing import Any

SEVERAL = " + "
"""between the machines of a block whose trials were measured on more than one"""


def machines_of(blocks: Iterable[Mapping[str, Any]]) -> dict[str, dict[int, str]]:
    """Campaign -> number of a block -> the machine that measured it, of campaigns of which several
    machines measured blocks. `blocks`: records of blocks (campaign.block_record), of one
    scenario."""
    found: dict[str, dict[int, str]] = {}
    for block in blocks:
        found.setdefault(block["campaign"], {})[block["block"]] = machine_of(block)
    return {
        campaign: dict(sorted(of_blocks.items()))
        for campaign, of_blocks in found.items()
        if len(set(of_blocks.values())) > 1
    }


def machine_of(block: Mapping[str, Any]) -> str:
    """The machine of a block, in words: processor, number of processors, kernel, and the node where
    Slurm named one. A block whose sessions were on several machines has a machine of its own,
    'a + b': none of them measured all of it."""
    # A session without an end has no trial.
    sessions = [one for one in block["sessions"] if "end_ns" in one] or block["sessions"]
    return SEVERAL.join(dict.fromkeys(map(_of_session, sessions)))


def _of_session(session: Mapping[str, Any]) -> str:
    if session["guests"]["own_machine"]:
        # All blocks of a campaign have the same hosts. The machine that logs in measures nothing.
        return f"hosts of {session['testbed']['name']}"
    if session["guests"]["virtual_clock"]:
        return "virtual time"
    machine = session["machine"]
    cpus = machine["cpus"]
    text = f"{machine['cpu']}, {cpus} processor{'s' if cpus > 1 else ''}, {machine['kernel']}"
    return f"{text}, node {machine['node']}" if "node" in machine else text
