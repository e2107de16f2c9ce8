"""Guests in virtual time with strongSwan of an older Debian release. To build one takes minutes."""

from contextlib import closing

import pytest
from real_guests import run_inside

from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab.namespace import enter
from remeasure.bench.lab.testbeds import load_testbed
from remeasure.bench.lab.virtual.guest import get_parts
from remeasure.bench.lab.virtual.virtual_lab import VirtualLab
from remeasure.bench.measure.virtual_hosts import version_provers

pytestmark = [pytest.mark.lab, pytest.mark.slow]


def run_guest(name):
    testbed = load_testbed(name)
    parts = get_parts(testbed.kernel, testbed.suite)
    enter(tun=False)
    (prover,) = version_provers(parts.image.packages | parts.image.lent, ["left"])
    with closing(VirtualLab(load_topology("host-to-host"), parts, 512, 0, "test")) as lab:
        (ask,) = prover.questions.values()
        said = lab.ask("left", ask, b"", 10).output.decode()
        seeded = lab.ask("left", "tc qdisc add dev wire root netem delay 1ms seed 7", b"", 10)
    checks = [*prover.check(said), *prover.check(said.replace("strongSwan 5", "strongSwan 4"))]
    return {
        "passed": [check.passed for check in checks],
        "found": checks[0].found,
        "netem": seeded.status,
    }


@pytest.mark.parametrize(
    ("testbed", "version"), [("virtual-5.9", "5.9.8"), ("virtual-6.0", "6.0.1")]
)
def test_a_guest_runs_older_strongswan_and_the_present_tools(shared_project, testbed, version):
    found = run_inside(shared_project, run_guest, testbed)
    assert found["found"] == version
    assert all(found["passed"][:3])
    assert found["netem"] == 0
