"""`remeasure check` on a lab."""

import pytest

pytestmark = pytest.mark.lab


def test_check_lists_what_is_there(project):
    status, output = project.run("remeasure", "check", "lab")
    assert "gw2" in output and "kernel esp4" in output and "tool iperf3" in output
    assert "MISSING" not in output
    assert status == 0 or "WRONG" in output
