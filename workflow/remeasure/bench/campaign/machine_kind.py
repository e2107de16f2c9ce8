"""The kind of machine that measures a campaign: processor model, number of processors, memory. A
campaign has one kind. Two kinds differ more in some cells than in others, and an interval over
blocks of both would describe neither. A machine that was started again may have another build of
its kernel, and nodes of a cluster have names: both are recorded, and make no other kind."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import VIRTUAL
from remeasure.bench.testbed.host_kind import hosts_of

_FIELDS = ("cpu", "cpus", "memory_mib")

Machine = Mapping[str, Any]
"""facts of a machine (testbed.watching.facts.machine_facts); older blocks lack memory_mib"""
MachineKind = dict[str, str | int]
"""the facts that make its kind"""


def in_words(machine: Machine) -> str:
    """'AMD EPYC, 2 processors, 8 GiB'."""
    cpus = machine["cpus"]
    words = [machine["cpu"], f"{cpus} processor{'s' if cpus > 1 else ''}"]
    if "memory_mib" in machine:
        words.append(f"{machine['memory_mib'] / 1024:g} GiB")
    return ", ".join(words)


def kind_of(machine: Machine) -> MachineKind:
    return {field: machine[field] for field in _FIELDS if field in machine}


def are_alike(one: Machine, other: Machine) -> bool:
    """Whether two machines are of one kind. A fact that one of them lacks is not compared."""
    both = kind_of(one).keys() & kind_of(other).keys()
    return all(one[field] == other[field] for field in both)


def kind_with(
    where: str, found: Machine | None, known: MachineKind | None, source: Path
) -> MachineKind | None:
    """The kind of a campaign once machine `found` measures for it; `known`: its kind so far. Raises
    UserError if the machine is of another kind. A fact that one of them lacks is not compared.
    `where`: file and field of the machine; `source`: file of the kind."""
    if found is None:
        return known
    kind = kind_of(found)
    known = known or kind
    if not are_alike(kind, known):
        raise UserError(
            f"{where}: found {in_words(kind)}, expected {in_words(known)}, as {source} has it; "
            "another kind of machine belongs to a campaign of its own: set the two side by side by "
            "`remeasure compare`"
        )
    return known


def require_one_kind(blocks: Mapping[Path, Mapping[str, Any]]) -> None:
    """Raises UserError naming a block of another profile or kind of machine than others with hosts
    of its nature: they are pooled. `blocks`: file -> its block.json."""
    firsts: dict[str, tuple[Path, str, MachineKind | None]] = {}
    for path, block in blocks.items():
        for session in block["sessions"]:
            hosts = hosts_of(session)
            # The record of these hosts has no machine under them.
            machine = None if hosts.startswith(("machines", VIRTUAL)) else session["machine"]
            first, profile, known = firsts.setdefault(hosts, (path, block["profile"], machine))
            if block["profile"] != profile:
                raise UserError(
                    f"{path}: block.json: profile: found {block['profile']!r}, expected "
                    f"{profile!r}, as {first} has it; set the two campaigns side by side by "
                    "`remeasure compare`"
                )
            kind_with(f"{path}: block.json: sessions.machine", machine, known, first)
