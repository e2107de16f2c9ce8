"""Which accelerator works, found by booting; the QEMUs here do what real ones were seen to do."""

import fcntl
import json
import re
import subprocess
import sys
from itertools import pairwise
from types import SimpleNamespace

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab import backends, qemu
from remeasure.bench.lab.qemu import QemuGuest, choose_accelerator
from remeasure.bench.lab.testbeds import LabTestbed, document_of
from remeasure.bench.measure import guests
from remeasure.bench.testbed.treatments.wanted import ANY, Wanted
from remeasure.bench.testbed.watching.readiness import Needs

READY = "print('LAB-READY 1.0', flush=True); import time; time.sleep(60)"
SLEEP = "import time; time.sleep(60)"
NONE = "with KVM no guest boots: "
FAILS = {
    "assertion": (
        "import sys; sys.exit('kvm_buf_set_msrs: Assertion failed')",
        f"{NONE}.*Assertion failed",
    ),
    "internal error": (
        f"print('KVM internal error. Suberror: 1', flush=True)\n{SLEEP}",
        f"{NONE}KVM internal error. Suberror: 1",
    ),
    "panic": (
        f"print('Oops: int3\\nKernel panic - not syncing', flush=True)\n{SLEEP}",
        f"{NONE}lab: guest probe did not boot: Oops: int3 / Kernel panic - not",
    ),
    "hang": (SLEEP, f"{NONE}lab: guest probe not ready after 1 s"),
}


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with KVM and a QEMU of our own; returns what installs the latter."""
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
    assert choose_accelerator(tmp_path, image(tmp_path)) == ("kvm", "a guest boots with it")
    assert choose_accelerator(tmp_path, image(tmp_path))[0] == "kvm"
    assert (tmp_path / "asked").read_text() == "x", "asked once, then remembered"


@pytest.mark.parametrize("failure", FAILS)
def test_tcg_where_none_does(machine, tmp_path, failure):
    script, reason = FAILS[failure]
    machine(script)
    accelerator, why = choose_accelerator(tmp_path, image(tmp_path))
    assert accelerator == "tcg"
    assert re.match(reason, why)
    assert json.loads((tmp_path / "accelerator.json").read_text())["accelerator"] == "tcg"


def test_without_kvm_or_qemu(machine, tmp_path, monkeypatch):
    machine(READY)
    monkeypatch.setattr(qemu, "kvm_is_there", lambda: False)
    why = "this machine has no /dev/kvm that is open to us"
    assert choose_accelerator(tmp_path, image(tmp_path)) == ("tcg", why)
    monkeypatch.setattr(qemu, "QEMU", "qemu-of-nobody")
    with pytest.raises(UserError, match="qemu-of-nobody is not installed; on Debian: "):
        qemu.require_qemu()


@pytest.mark.parametrize(("accelerator", "found"), [("kvm", "host"), ("tcg", "max")])
def test_accelerator_and_queues_are_asked_for(tmp_path, accelerator, found):
    guest = QemuGuest("left", tmp_path, tmp_path, tmp_path / "disk", 512, 4, accelerator)
    command = guest.command(["link0a"])
    assert command[command.index("-cpu") + 1] == found
    assert "tap,id=net0,ifname=link0a,script=no,downscript=no,queues=4" in command
    assert any("mq=on,vectors=10" in part for part in command)


@pytest.mark.skipif(not qemu.is_installed(), reason="needs QEMU")
def test_its_guests_start_beside_those_of_user_mode_linux(tmp_path):
    """Those lock the disk that all guests share."""
    disk, kernel = tmp_path / "base.ext4", tmp_path / "kernel"
    kernel.mkdir()
    for file in (disk, tmp_path / "seed.tar", kernel / "modules.ext4"):
        file.write_bytes(bytes(1 << 20))
    guest = QemuGuest("left", tmp_path, kernel, disk, 128, 1, "tcg")
    command = guest.command([])
    drives = [word for flag, word in pairwise(command) if flag == "-drive"]
    no_machine = [qemu.QEMU, "-M", "none", "-display", "none", "-monitor", "stdio"]
    with disk.open() as locked:
        fcntl.lockf(locked, fcntl.LOCK_SH)
        run = subprocess.run(
            [*no_machine, *(word for drive in drives for word in ("-drive", drive))],
            input="quit\n",
            capture_output=True,
            text=True,
        )
    assert run.returncode == 0, run.stderr


def test_several_processors_need_another_back_end():
    with pytest.raises(UserError, match="found 2 processors per host; .* back end qemu, uml-smp"):
        backends.make_backend("uml", 256, Wanted(2))


@pytest.mark.parametrize(("kvm", "expected"), [(True, "qemu"), (False, "uml-smp")])
def test_scenarios_with_processors_choose(monkeypatch, kvm, expected):
    monkeypatch.setattr(qemu, "is_installed", lambda: True)
    monkeypatch.setattr(qemu, "kvm_is_there", lambda: True)
    monkeypatch.setattr(qemu, "choose_accelerator", lambda *_: ("kvm" if kvm else "tcg", ""))
    monkeypatch.setattr(qemu, "get_kernel", lambda kind: None)
    monkeypatch.setattr(qemu, "get_image", lambda: None)
    testbed = LabTestbed(name="lab", backend="uml")
    assert testbed.kind_for(Wanted(2)).name == expected
    assert testbed.kind_for(ANY).name == "uml"


def test_where_nothing_may_be_compiled_qemu_emulates(monkeypatch):
    monkeypatch.setattr(qemu, "kvm_is_there", lambda: False)
    testbed = LabTestbed(name="lab", backend="uml")
    assert testbed.kind_for(Wanted(2)).name == "uml-smp"
    bare = testbed.without_compiling()
    assert (bare.kind_for(Wanted(2)).name, bare.kind_for(ANY).name) == ("qemu", "uml")
    assert bare.compile_s(Wanted(2)) == 0
    chosen = LabTestbed(name="lab", backend="uml", several_cpus="uml-smp", kernel="debian")
    assert chosen.without_compiling() == chosen


def test_defaults_do_not_change_what_a_campaign_froze():
    fields = {"name": "lab", "backend": "uml", "memory_mib": 1024}
    assert document_of(LabTestbed(**fields)) == fields


def test_more_processors_than_the_machine_has(monkeypatch):
    monkeypatch.setattr(guests, "usable_cores", lambda: [0, 1, 2, 3])
    lab = guests.Guests(
        LabTestbed(name="lab", backend="uml"),
        load_topology("host-to-host"),
        Needs(),
    )
    assert lab.why_not(Wanted(8)) == (
        "the scenario asks for 8 processors per guest; this machine has 4"
    )
    assert lab.why_not(Wanted(4)) is None
    assert lab.why_not(ANY) is None
