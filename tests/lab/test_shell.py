"""An interactive lab."""

import subprocess

import pytest

pytestmark = pytest.mark.lab


def test_an_interactive_lab_has_ssh_by_name(project):
    project.environment["SHELL"] = "/bin/sh"
    process = project.start("remeasure", "lab", "site-to-site", stdin=subprocess.PIPE)
    output, _ = process.communicate("ssh -n gw2 hostname -I\n")
    assert process.returncode == 0
    assert "client1 ---------- gw1" in output
    assert "192.168.20.254" in output.splitlines()[-1]
