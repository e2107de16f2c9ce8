"""One pair of configurations with several versions of strongSwan."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import CONFIG
from remeasure.bench.lab.image import Suite
from remeasure.bench.lab.namespace import enter, require_programs
from remeasure.bench.lab.testbeds import VirtualTestbed, load_testbed
from remeasure.bench.lab.virtual.guest import get_parts
from remeasure.bench.tryout.conf import Refused
from remeasure.bench.tryout.pair import Pair
from remeasure.bench.tryout.reading_pair import read_pair
from remeasure.bench.tryout.running_pair import Way
from remeasure.bench.tryout.try_answers import TryReport
from remeasure.bench.tryout.try_pair import STRONGSWAN, TryKind, try_pair
from remeasure.bench.tryout.wireguard.quick_file import is_quick
from remeasure.bench.tryout.wireguard.quick_pair import read_quick_pair
from remeasure.bench.tryout.wireguard.running_wireguard import WIREGUARD

PRESENT = "6.1"
SUITES: dict[str, Suite | None] = {
    path.stem.removeprefix("virtual-"): testbed.suite
    for path in sorted((CONFIG / "testbeds").glob("virtual-*.yaml"))
    if isinstance(testbed := load_testbed(path.stem), VirtualTestbed)
}
"""version of strongSwan -> release of Debian that has it, by testbeds like virtual-6.1"""


@dataclass
class PairsToTry:
    """A pair, as each version of strongSwan takes it."""

    kind: TryKind
    pairs: dict[str, Pair]
    """version -> pair; of WireGuard one, with the present version"""
    refused: dict[str, str]
    """version -> why it does not take the pair"""


def read_for_versions(
    left: Path, right: Path | None, versions: Collection[str], connection: str, nat: frozenset[str]
) -> PairsToTry:
    """Read both ends. Raises UserError; also if no version takes the pair."""
    pairs, refused = dict[str, Pair](), dict[str, str]()
    if unknown := [version for version in versions if version not in SUITES]:
        raise UserError(f"--versions: found {unknown[0]}, expected some of {', '.join(SUITES)}")
    if is_quick(left):
        given = {"nat": nat, "connection": connection, "versions": {*versions} - {PRESENT}}
        for option in filter(given.get, given):
            raise UserError(
                f"--{option}: {left} is a wg-quick file; expected it without this option"
            )
        return PairsToTry(WIREGUARD, {PRESENT: read_quick_pair(left, right)}, {})
    for version in sorted(versions):
        try:
            pairs[version] = read_pair(left, right, connection=connection, nat=nat, version=version)
        except Refused as error:
            refused[version] = str(error)
    if not pairs:
        raise UserError(next(iter(refused.values())))
    if nat and any(pair.debian_lacks for pair in pairs.values()):
        raise UserError(
            f"--nat: {left}: needs a kernel with XFRM interfaces or IP-TFS, which has no NAT here; "
            "leave one of both out"
        )
    return PairsToTry(STRONGSWAN, pairs, refused)


def try_versions(
    asked: PairsToTry, way: Way, guarded: bool, on_progress: Callable[[int], None]
) -> TryReport:
    """Ask all questions to the pair of each version, in a lab's namespaces, in which this command
    runs again (lab.namespace). `on_progress` is called after each answer with the number of all.
    Raises UserError."""
    require_programs("unshare", "mount")
    parts = {}
    for version, pair in asked.pairs.items():
        kernel: Literal["debian", "instructions"]
        kernel = "instructions" if pair.debian_lacks else "debian"
        parts[version] = get_parts(kernel, SUITES[version])
    enter(tun=False)
    tries = {
        version: try_pair(
            parts[version],
            pair,
            way,
            asked.kind,
            guarded,
            lambda of: on_progress(of * len(asked.pairs)),
        )
        for version, pair in asked.pairs.items()
    }
    return TryReport(tries=tries, refused=asked.refused)
