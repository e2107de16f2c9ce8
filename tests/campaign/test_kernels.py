"""Work and messages before the first block is measured."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign import kernels
from remeasure.bench.campaign.kernels import prepare_kernels
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.lab import image, qemu
from remeasure.bench.lab.testbeds import LabTestbed

LAB = LabTestbed(name="lab", backend="uml")


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """One of two processors, without KVM, and without the kernel that is compiled."""
    monkeypatch.setattr(kernels.os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(qemu, "kvm_is_there", lambda: False)
    monkeypatch.setattr(qemu, "get_kernel", lambda kind: None)
    monkeypatch.setattr(qemu, "get_image", lambda: SimpleNamespace(disk=None))
    monkeypatch.setattr(image, "_path", lambda *_: Path("not-built"))


def lines(*scenarios, profile="quick", testbed=LAB):
    return prepare_kernels(testbed, [load_scenario(name, profile) for name in scenarios])


@pytest.mark.parametrize("profile", ["quick", "paper"])
def test_what_is_published_takes_the_kernel_with_instructions(profile):
    assert lines("psk-rsa", "eap-methods", profile=profile) == [
        "a kernel (uml-instructions) is compiled first, once: about 6 min on 2 processors; for "
        "eap-methods, psk-rsa (--config without=NAME leaves a scenario out)"
    ]
    assert lines("psk-rsa", profile="smoke") == []
    debian = LAB.model_copy(update={"kernel": "debian"})
    assert lines("psk-rsa", profile=profile, testbed=debian) == []


def test_smoke_compiles_nothing_but_needs_qemu(monkeypatch):
    monkeypatch.setattr(qemu, "QEMU", "qemu-of-nobody")
    with pytest.raises(UserError, match=r"not installed; .*; or leave .* without=per-cpu-sas$"):
        lines("per-cpu-sas", profile="smoke")
