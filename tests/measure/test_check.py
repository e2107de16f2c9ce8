"""`remeasure check` on a lab."""

import json

import pytest

pytestmark = pytest.mark.lab


def test_check_lists_what_is_there(project):
    status, output = project.run("remeasure", "check", "lab")
    assert "gw2" in output and "kernel esp4" in output and "tool iperf3" in output
    assert "MISSING" not in output
    # A clock of guests may be off on a busy machine.
    again, output = project.run("remeasure", "check", "lab", "--json")
    found = json.loads(output)
    assert {"host": "gw2", "what": "kernel esp4", "state": "present", "detail": ""} in found
    bad = {one["what"] for one in found if one["state"] != "present"}
    assert bad <= {"clock"} and again == int(bool(bad)) and status in (0, 1)
