"""Campaigns and block archives of format 1, turned into the present format as they are read.

Format 1 grew while it was in use. What may be missing in it, or other than now:

  campaign.yaml, block.json         the testbed's `name` is called `testbed`
  campaign.yaml  scenarios          each scenario has its name as `scenario` too
  block.json  sessions[].guests     before there was more than one back end
  trial.json  checks[].kind         always: checks were known by their names alone
  trial.json  counters[].levels     in campaign lab-2026-11
  counters    one file for each kind and host, in campaign lab-2026-11; else as now one for a host

An entry that has a field keeps it: a block that was begun before may be finished by newer software.
"""

import re

from remeasure.campaign.record import TrialRecord

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
"""kind of check -> what the name of such a check matches; the first that matches counts"""


def upgrade_campaign(frozen: dict) -> dict:
    """campaign.yaml of format 1 -> the same in the present format."""
    scenarios = {
        name: {field: value for field, value in document.items() if field != "scenario"}
        for name, document in frozen["scenarios"].items()
    }
    return frozen | {"scenarios": scenarios, "testbed": _testbed(frozen["testbed"])}


def _testbed(document: dict) -> dict:
    return {"name" if field == "testbed" else field: value for field, value in document.items()}


def upgrade_block(block: dict) -> dict:
    """block.json of format 1 -> the same in the present format."""
    return block | {
        "sessions": [
            {"guests": _guests(session)} | session | {"testbed": _testbed(session["testbed"])}
            for session in block["sessions"]
        ]
    }


def _guests(session: dict) -> dict:
    """No accelerator: it came with the back ends that have one, and so did the field."""
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
    """A file of counters of format 1 -> the same as a file that holds all kinds of a host."""
    return text if kind == "all" else f"=== {kind}\n{text}"
