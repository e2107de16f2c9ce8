"""The guests of a campaign in rounds. Each machine that measures makes image and kernels again,
from a Debian mirror that moves. Guests still count as the same as in the first block if their
kernel has the same version, source, configuration and compiler, and if programs that measure or
encrypt have the same upstream version: two versions of strongSwan would look like a difference
between rounds. Other packages, and Debian's patches, may change; block.json then lists them."""

import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.folder import Frozen, block_path
from remeasure.bench.testbed.host_kind import upstream

SessionFacts = Mapping[str, Any]
"""facts of a session (measure.block_hosts.Session), or a session of block.json"""
Changes = dict[str, list[str]]
"""name of a Debian package -> its version in the first block, and now; `none`: it is not there"""
MUST_BE_EQUAL = (
    ("strongSwan", r"(lib)?(charon|strongswan).*", "it sets up and renews tunnels"),
    ("OpenSSL", r"openssl.*|libssl[0-9].*", "strongSwan, FreeRADIUS and OpenVPN compute with it"),
    ("C library", r"libc6|libc-bin", "all programs enter the kernel through it"),
    ("iproute2", r"iproute2", "it shapes links"),
    ("iperf", r"iperf", "its traffic is measured"),
    ("iperf3", r"iperf3|libiperf[0-9].*", "its traffic is measured"),
    ("D-ITG", r"d-itg", "its traffic is measured"),
    ("FreeRADIUS", r"(lib)?freeradius.*", "its answers are part of a set-up"),
    ("WireGuard's tools", r"wireguard-tools", "they set up tunnels"),
    ("OpenVPN", r"openvpn", "it encrypts"),
)
"""program, regular expression of its Debian packages, and the reason why its upstream version must
be the same as in the first block. An image of an older recipe may lack a program."""
_BUILD = re.compile(r" #\d+|(?<= )\w{3} \w{3} +\d+ [\d:]{8} \w+ \d{4} |\(\d{4}-\d\d-\d\d\) ")
"""number and time of the build in the answer of uname(1)"""


def compare_guests(frozen: Frozen, facts: SessionFacts) -> Changes:
    """Compare guests with guests of the same kind in the first block of a campaign that has some.
    Returns other packages that changed. Raises UserError if the kernel or a program that must be
    equal differs."""
    blocks = (place for one in frozen.rounds.rounds for place in one) if frozen.rounds else ()
    for path in (block_path(frozen.campaign, *place) for place in blocks):
        for session in BlockArchive(path).block["sessions"] if path.exists() else ():
            if session["guests"]["backend"] == facts["guests"]["backend"]:
                return compare(facts, session, path)
    return {}


def compare(now: SessionFacts, then: SessionFacts, path: Path) -> Changes:
    """Compare guests with a session of the block `path`, as `compare_guests` does. Hosts with this
    machine's kernel and programs, which are recorded, may all change."""
    if "image" not in now:
        return {}
    for what, found, expected, why in _pairs(now, then):
        if found != expected:
            raise UserError(
                f"guests: {what}: found {found}, expected {expected} as in {path}, since {why}; "
                "make image and kernels again from a Debian mirror of the day "
                f"{then['image'].get('built', 'then')[:10]} (DEBIAN_MIRROR, docs/kernel.md), or "
                "measure another campaign"
            )
    old, new = then["image"]["packages"], now["image"]["packages"]
    both = {name: [old.get(name, "none"), new.get(name, "none")] for name in sorted({*old, *new})}
    return {name: versions for name, versions in both.items() if versions[0] != versions[1]}


def _pairs(now: SessionFacts, then: SessionFacts) -> Iterator[tuple[str, str, str, str]]:
    """Yield a part of guests, found, expected, and the reason why both must be equal."""
    known = "kernel" in now and "kernel" in then
    yield "kernel", _kernel(now, known), _kernel(then, known), "it encrypts and forwards packets"
    for program, names, why in MUST_BE_EQUAL:
        found, expected = (_versions(facts, names) for facts in (now, then))
        if found and expected:
            yield program, found, expected, why


def _kernel(facts: SessionFacts, known: bool) -> str:
    """Facts of a kernel in words; unless they are known of both kernels, its name by uname(1)
    without number and time of the build."""
    if known:
        return ", ".join(f"{name} {value}" for name, value in facts["kernel"].items())
    names = {_BUILD.sub("", host["kernel"]) for host in facts["hosts"].values()}
    return " / ".join(sorted(names))


def _versions(facts: SessionFacts, names: str) -> str:
    packages = facts["image"]["packages"].items()
    return ", ".join(sorted({upstream(v) for name, v in packages if re.fullmatch(names, name)}))


def tell_changes(archive: Path) -> None:
    """Print the packages that changed since the first block, once for all blocks with the same."""
    for session in BlockArchive(archive).block["sessions"]:
        if changes := session.get("changed_packages"):
            _tell(", ".join(f"{name} {then} -> {now}" for name, (then, now) in changes.items()))


@cache
def _tell(listed: str) -> None:
    print(f"guests: changed since the first block: {listed}", file=sys.stderr)
