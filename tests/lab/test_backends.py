"""The accelerator that works, found by booting; the QEMUs here behave as real ones were seen to."""

import json
import re
import sys
from types import SimpleNamespace

import pytest

from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab import qemu
from remeasure.bench.lab.qemu import choose_accelerator
from remeasure.bench.lab.testbeds import BACKENDS, LabTestbed, cannot_compute, document_of
from remeasure.bench.measure import guests
from remeasure.bench.testbed.treatments.instructions import ANY, Instructions, Wanted
from remeasure.bench.testbed.watching.readiness import Needs

READY = "print('LAB-READY 1.0', flush=True); import time; time.sleep(60)"
FAILS = {
    "import sys; sys.exit('kvm_buf_set_msrs: Assertion failed')": ".*Assertion failed",
    "import time; time.sleep(60)": "lab: guest probe not ready after 1 s",
}
"""behaviour of QEMU -> why it does not work"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with KVM and a QEMU of our own; returns a function that installs the QEMU."""
    monkeypatch.setattr(qemu, "CACHE", tmp_path)
    monkeypatch.setattr(qemu, "kvm_is_there", lambda: True)
    monkeypatch.setattr(qemu, "PROBE_LIMIT_S", 1)
    program = tmp_path / "qemu"
    monkeypatch.setattr(qemu, "QEMU", str(program))

    def install(script: str) -> None:
        source = tmp_path / "qemu.py"
        # Python's path may have a blank, which the first line of a script may not.
        program.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{source}' \"$@\"\n")
        source.write_text(
            "import sys\n"
            "if '--version' in sys.argv: sys.exit(print('QEMU 0') or 0)\n"
            f"open({str(tmp_path / 'asked')!r}, 'a').write('x')\n{script}\n"
        )
        program.chmod(0o755)

    return install


def image(folder):
    return SimpleNamespace(folder=folder, disk=folder / "disk")


def test_kvm_where_a_guest_boots_with_it(machine, tmp_path):
    machine(READY)
    assert choose_accelerator(tmp_path, image(tmp_path)) == "kvm"
    assert choose_accelerator(tmp_path, image(tmp_path)) == "kvm"
    assert (tmp_path / "asked").read_text() == "x", "asked once, then remembered"


@pytest.mark.parametrize(("script", "reason"), FAILS.items())
def test_tcg_where_none_does(machine, tmp_path, script, reason):
    machine(script)
    assert choose_accelerator(tmp_path, image(tmp_path)) == "tcg"
    found = json.loads((tmp_path / "accelerator.json").read_text())
    assert found["accelerator"] == "tcg"
    assert re.match(f"with KVM no guest boots: {reason}", found["reason"])


@pytest.mark.parametrize(("kvm", "expected"), [(True, "qemu"), (False, "uml-smp")])
def test_scenarios_with_processors_choose(monkeypatch, kvm, expected):
    monkeypatch.setattr("shutil.which", lambda program: program)
    monkeypatch.setattr(qemu, "kvm_is_there", lambda: True)
    monkeypatch.setattr(qemu, "choose_accelerator", lambda *_: "kvm" if kvm else "tcg")
    monkeypatch.setattr(qemu, "get_kernel", lambda kind: None)
    monkeypatch.setattr(qemu, "get_image", lambda: None)
    testbed = LabTestbed(name="lab", backend="uml")
    assert testbed.kind_for(Wanted(2)).name == expected
    assert testbed.kind_for(ANY).name == "uml"


def test_defaults_do_not_change_what_a_campaign_froze():
    given = {"name": "lab", "backend": "uml", "memory_mib": 1024}
    assert document_of(LabTestbed(**given)) == given


def test_more_processors_than_the_machine_has(monkeypatch):
    monkeypatch.setattr(guests, "usable_cores", lambda: [0, 1, 2, 3])
    testbed, topology = LabTestbed(name="lab", backend="uml"), load_topology("host-to-host")
    lab = guests.Guests(testbed, topology, Needs(), {})
    says = "the scenario needs 8 processors per guest; this machine has 4"
    assert lab.why_not(Wanted(8)) == says
    assert lab.why_not(Wanted(4)) is None
    assert lab.why_not(ANY) is None


@pytest.mark.parametrize(
    ("backend", "without", "can"),
    [
        ("uml", ("all",), True),
        ("uml", (), False),
        ("netns", (), True),
        ("netns", ("vaes",), False),
        ("qemu", (), False),
    ],
)
def test_a_kernel_that_cannot_be_told_computes_with_what_it_has(backend, without, can):
    """Debian's kernel for guests has no code for them; this machine's kernel takes all."""
    reason = cannot_compute(BACKENDS[backend], Instructions(without=without))
    assert (reason is None) == can
