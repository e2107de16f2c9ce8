"""Conversion of campaigns and blocks of format 2 and before to the present one, as they are read.

What campaign.yaml leaves unsaid: until format 3 a rate without a `burst` meant a token bucket of
128 kB. Since then it means a link that takes time to send a packet, and a bucket is always named.

What block.json may lack:

  sessions[].guests     own_machine, own_kernel, emulated, virtual_clock: what the hosts were
                        followed from the name of the back end (`backend`)

A field that is there is kept: newer software may have finished a block that older software began.
"""

from typing import Any

from remeasure.bench.testbed.host_kind import (
    ON_VIRTUAL_CLOCK,
    OWN_MACHINES,
    Nature,
    hosts_on_one_machine,
)

BUCKET = "128kb"
"""size of the token bucket of a rate, where a campaign of format 1 or 2 names none"""
_EMULATING = "tcg"
"""accelerator of format 2 that translates every instruction"""


def upgrade_campaign(frozen: dict[str, Any]) -> dict[str, Any]:
    """Convert the content of campaign.yaml."""
    scenarios = {name: _with_buckets(document) for name, document in frozen["scenarios"].items()}
    return frozen | {"scenarios": scenarios}


def _with_buckets(document: dict[str, Any]) -> dict[str, Any]:
    """A scenario whose rates all have a bucket."""
    base = document.get("shaping") or {}
    # What a level says is laid over what stands above. There a place that has a rate gets its
    # bucket, and one that has a bucket keeps it.
    given = {place for place, shaping in base.items() if {"rate", "burst"} & shaping.keys()}
    factors = {
        factor: {level: _level(settings, given) for level, settings in levels.items()}
        for factor, levels in document["factors"].items()
    }
    shaping = {"shaping": _places(base, set())} if base else {}
    return document | shaping | {"factors": factors}


def _level(settings: dict[str, Any], given: set[str]) -> dict[str, Any]:
    """What one level sets; `given`: places whose bucket is given for all levels."""
    if not settings.get("shaping"):
        return settings
    return settings | {"shaping": _places(settings["shaping"], given)}


def _places(shaping: dict[str, dict[str, Any]], given: set[str]) -> dict[str, dict[str, Any]]:
    return {
        place: fields if place in given or "rate" not in fields else {"burst": BUCKET} | fields
        for place, fields in shaping.items()
    }


def upgrade_block(block: dict[str, Any]) -> dict[str, Any]:
    """Convert the content of block.json."""
    return block | {
        "sessions": [
            session | {"guests": {**_nature(session["guests"]), **session["guests"]}}
            for session in block["sessions"]
        ]
    }


def _nature(guests: dict[str, Any]) -> Nature:
    """What the hosts of a back end of format 2 were. A back end that is not ours has guests, the
    default of back ends."""
    emulated = guests["accelerator"] == _EMULATING
    return {
        "ssh": OWN_MACHINES,
        "virtual": ON_VIRTUAL_CLOCK,
        "netns": hosts_on_one_machine(own_kernel=False, emulated=False),
    }.get(guests["backend"], hosts_on_one_machine(own_kernel=True, emulated=emulated))
