"""Conversion of campaigns and block archives of format 1 to the present format, as they are read.

Format 1 grew while it was in use. Fields that may be missing in it, or differ from the present:

  campaign.yaml, block.json         the testbed's `name` is called `testbed`
  campaign.yaml  scenarios          each scenario also has its name in a field `scenario`
  block.json  sessions[].guests     missing before there was more than one back end
  trial.json  checks[].kind         always missing: checks were known by their names alone
  trial.json  counters[].levels     missing in campaign lab-2026-11
  counters                          in campaign lab-2026-11 one file for each kind and host; in
                                    others one file for each host, as now

A field that is there is kept: newer software may have finished a block that older software began.
"""

import re
from typing import Any

from remeasure.bench.campaign.record import TrialRecord

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
"""kind of check -> regular expression that the name of such a check matches; the first match
counts"""


def upgrade_campaign(frozen: dict[str, Any]) -> dict[str, Any]:
    """Convert the content of campaign.yaml."""
    scenarios = {
        name: {field: value for field, value in document.items() if field != "scenario"}
        for name, document in frozen["scenarios"].items()
    }
    return frozen | {"scenarios": scenarios, "testbed": _testbed(frozen["testbed"])}


def _testbed(document: dict[str, Any]) -> dict[str, Any]:
    return {"name" if field == "testbed" else field: value for field, value in document.items()}


def upgrade_block(block: dict[str, Any]) -> dict[str, Any]:
    """Convert the content of block.json."""
    return block | {
        "sessions": [
            {"guests": _guests(session)} | session | {"testbed": _testbed(session["testbed"])}
            for session in block["sessions"]
        ]
    }


def _guests(session: dict[str, Any]) -> dict[str, Any]:
    """The missing field `guests`. The accelerator is none: back ends with one came with the
    field."""
    return {"backend": session["testbed"]["backend"], "accelerator": "none"}


def upgrade_trial(record: TrialRecord) -> TrialRecord:
    """trial.json of format 1 -> the same in the present format."""
    return {
        **record,
        "checks": [{"kind": _kind(check["name"])} | check for check in record["checks"]],
        "counters": [{"levels": {}, **entry} for entry in record["counters"]],
    }


def _kind(name: str) -> str:
    return next((kind for kind, pattern in _KINDS.items() if re.search(pattern, name)), "other")


def upgrade_counters(kind: str, text: str) -> str:
    """Convert a file with counters of one kind to a file that can hold all kinds of a host. A file
    of kind `all` already is one."""
    return text if kind == "all" else f"=== {kind}\n{text}"
