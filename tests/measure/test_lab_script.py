"""A script in virtual time: the example of the manual, and scripts that are wrong."""

import re

import pytest

from remeasure.bench.base.paths import ROOT

pytestmark = [pytest.mark.lab, pytest.mark.slow]

LAB = ["remeasure", "lab", "site-to-site", "--testbed", "virtual", "--script"]
EXAMPLE = "docs/examples/rekeying.yaml"


def test_the_example_says_the_same_twice_and_loses_nothing(shared_project):
    first, second = (shared_project.run(*LAB, EXAMPLE) for _ in range(2))
    assert first == second
    status, output = first
    assert status == 0, output
    assert "rekey completed successfully" in output
    assert "80 packets transmitted, 80 received, 0% packet loss" in output
    assert output.count("INSTALLED, TUNNEL, ESP:AES_GCM_16-128") == 1


@pytest.mark.parametrize("name", ["iptfs", "beet"])
def test_what_the_manual_prints_of_a_script_is_what_it_says(shared_project, name):
    """Times and SPIs depend on the version of strongSwan, so they are not compared."""
    status, output = shared_project.run(*LAB, f"docs/examples/{name}.yaml")
    assert status == 0, output
    told = (ROOT / f"docs/examples/{name}.txt").read_text()
    first, second = (
        re.sub(r"0x[0-9a-f]{8}|[0-9]+\.[0-9]{6} s", "*", text) for text in (output, told)
    )
    assert first.strip() == second.strip()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "steps: [{gw9: id}]",
            "steps.1: found gw9, expected one of client1, gw1, gw2, client2, wait",
        ),
        ("steps: [{wait: long}]", "wait: expected seconds"),
        ("steps: [{gw1: 3}]", "gw1: expected lines for sh"),
        ("steps: [{gw1: id, gw2: id}]", "expected one host with lines for its shell, or wait"),
        ("steps: []", "steps: "),
        ("shaping: {gw1.lan: {}}\nsteps: [{gw1: id}]", "shaping: found gw1.lan, expected"),
        ("steps: [{gw1: 'echo no >&2; exit 3'}]", "steps.1: gw1: exit 3: "),
    ],
)
def test_a_wrong_script_is_refused_in_a_line(shared_project, text, says):
    (shared_project.folder / "steps.yaml").write_text(text)
    status, output = shared_project.run(*LAB, "steps.yaml")
    assert status != 0
    assert says in output
    assert "Traceback" not in output


def test_another_testbed_has_a_shell(shared_project):
    status, output = shared_project.run(*LAB, EXAMPLE, "--testbed", "lab")
    assert status != 0
    assert "testbed lab: backend uml: --script is for virtual time" in output
