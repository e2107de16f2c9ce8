"""Campaigns and blocks of formats 1 and 2, converted to the present format as they are read.

Differences of files in these formats:

  campaign.yaml  shaping            a rate without a `burst` meant a token bucket of 128 kB; since
                                    format 3 it means a link that takes time to send a packet
  block.json  sessions[].guests     the nature of hosts followed from the name of the back end

and only of files in format 1:

  campaign.yaml, block.json         the testbed's `name` is called `testbed`
  campaign.yaml  scenarios          each scenario also has its name in a field `scenario`
  block.json  sessions[].guests     missing before there was more than one back end
  trial.json  checks[].kind         missing: checks were known by their names
  trial.json  counters[].levels     missing in campaign lab-2026-11
  counters                          in campaign lab-2026-11 one file for each kind and host

Present fields are kept: newer software may have finished a block that older software began.
"""

import re
from typing import Any

from remeasure.bench.campaign.record import TrialRecord
from remeasure.bench.testbed.host_kind import NATURES, HostWord, Nature

BUCKET = "128kb"
"""size of the token bucket of a rate without one in a campaign of format 1 or 2"""
_EMULATING = "tcg"
"""accelerator of format 2 that translates every instruction"""
_KINDS = {
    "eap-identity": r"remote-eap-id",
    "ike-sa": r"IKE_SA",
    "child-sa": r"CHILD_SA",
    "rules": r"rules in force",
    "replay-window": r"replay window",
    "sa-packets": r"packets (in|out)$",
    "per-cpu": r"processors (with an SA|whose SA)",
    "steering": r"steering",
    "probe-sa": r"(packets|bytes) of the inbound SA",
    "probe-interface": r"(packets|bytes) received on",
    "no-ipsec": r"SAs and policies",
    "link": r"tbf|netem|rate \(bit/s\)",
    "authentication": r"authenticated by|used EAP",
    "chain": r"intermediate certificates",
    "messages": r"exchanges|EAP types",
    "echo": r"echoes answered|on demand",
}
"""kind of check -> regular expression of its names; the first match counts"""


def upgrade_campaign(frozen: dict[str, Any]) -> dict[str, Any]:
    """Convert the content of campaign.yaml."""
    scenarios = {
        name: _with_buckets({k: v for k, v in document.items() if k != "scenario"})
        for name, document in frozen["scenarios"].items()
    }
    return frozen | {"scenarios": scenarios, "testbed": _testbed(frozen["testbed"])}


def _testbed(document: dict[str, Any]) -> dict[str, Any]:
    return {"name" if field == "testbed" else field: value for field, value in document.items()}


def _with_buckets(document: dict[str, Any]) -> dict[str, Any]:
    base = document.get("shaping") or {}
    # A level is laid over `base`: a place with a rate there gets its bucket, or keeps it.
    given = {place for place, shaping in base.items() if {"rate", "burst"} & shaping.keys()}
    factors = {
        factor: {
            level: settings | _shaping(settings.get("shaping"), given)
            for level, settings in levels.items()
        }
        for factor, levels in document["factors"].items()
    }
    return document | _shaping(base, set()) | {"factors": factors}


def _shaping(places: dict[str, dict[str, Any]] | None, given: set[str]) -> dict[str, Any]:
    """The field `shaping` with the buckets of its rates, except for places that are `given` one."""
    found = {
        place: fields if place in given or "rate" not in fields else {"burst": BUCKET} | fields
        for place, fields in (places or {}).items()
    }
    return {"shaping": found} if found else {}


def upgrade_block(block: dict[str, Any]) -> dict[str, Any]:
    """Convert the content of block.json."""
    sessions = []
    for session in block["sessions"]:
        testbed = _testbed(session["testbed"])
        # Back ends with an accelerator came with the field `guests`.
        guests = session.get("guests") or {"backend": testbed["backend"], "accelerator": "none"}
        sessions.append(session | {"testbed": testbed, "guests": {**_nature(guests), **guests}})
    return block | {"sessions": sessions}


def _nature(guests: dict[str, Any]) -> Nature:
    """The nature of the hosts of a back end of format 2. A back end that is not ours has guests,
    the default of back ends."""
    emulated = guests["accelerator"] == _EMULATING
    words: dict[str, HostWord] = {"ssh": "machines", "virtual": "virtual", "netns": "namespaces"}
    return NATURES[words.get(guests["backend"], "emulated" if emulated else "guests")]


def upgrade_trial(record: TrialRecord) -> TrialRecord:
    """Convert a trial.json of format 1."""
    return {
        **record,
        "checks": [{"kind": _kind(check["name"])} | check for check in record["checks"]],
        "counters": [{"levels": {}, **entry} for entry in record["counters"]],
    }


def _kind(name: str) -> str:
    return next((kind for kind, pattern in _KINDS.items() if re.search(pattern, name)), "other")


def upgrade_counters(kind: str, text: str) -> str:
    """A file of format 1 with counters of one kind, as a file for all kinds of a host. A file of
    kind `all` already is one."""
    return text if kind == "all" else f"=== {kind}\n{text}"
