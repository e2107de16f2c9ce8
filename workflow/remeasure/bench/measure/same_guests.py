"""Guests of a later round have the same kernel as in the first round, and the same packages.
Two versions of strongSwan would look like a difference between rounds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.folder import Frozen, block_path

Facts = Mapping[str, Any]
"""facts of a session (measure.block_hosts.Session)"""


def require_same_guests(frozen: Frozen, facts: Facts) -> None:
    """Raises UserError naming a kernel or a package of guests that is not as in the first block of
    a campaign with the same kind of guests."""
    blocks = (place for one in frozen.rounds.rounds for place in one) if frozen.rounds else ()
    for path in (block_path(frozen.campaign, *place) for place in blocks):
        for session in BlockArchive(path).block["sessions"] if path.exists() else ():
            if session["guests"]["backend"] == facts["guests"]["backend"]:
                _compare(facts, session, path)
                return


def _compare(facts: Facts, first: Facts, path: Path) -> None:
    now, then = _versions(facts), _versions(first)
    for what in (what for what in [*then, *now] if now.get(what) != then.get(what)):
        raise UserError(
            f"guests: {what}: found {now.get(what, 'none')}, expected {then.get(what, 'none')}, as "
            f"{path} has it; restore the image and kernels in the cache, or measure another "
            "campaign"
        )


def _versions(facts: Facts) -> dict[str, str]:
    """Name of the kernel and of each package -> its version; empty for hosts with this machine's
    kernel, which is recorded and may change."""
    if "image" not in facts:
        return {}
    kernels = sorted({host["kernel"] for host in facts["hosts"].values()})
    packages = facts["image"]["packages"].items()
    return {"kernel": " / ".join(kernels), **{f"package {p}": version for p, version in packages}}
