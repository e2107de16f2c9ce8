"""What is made, or said, before the first block is measured."""

from types import SimpleNamespace

import pytest

from remeasure.campaign import kernels
from remeasure.campaign.kernels import prepare_kernels
from remeasure.campaign.scenario import load_scenario
from remeasure.errors import UserError
from remeasure.lab import qemu, uml
from remeasure.lab.testbeds import LabTestbed

LAB = LabTestbed(name="lab", backend="uml")


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """One of two processors, without KVM, and without the kernel that is compiled."""
    monkeypatch.setattr(kernels.os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(qemu, "kvm_is_there", lambda: False)
    monkeypatch.setattr(qemu, "get_kernel", lambda kind: None)
    monkeypatch.setattr(qemu, "get_image", lambda: SimpleNamespace(disk=None))
    monkeypatch.setattr(uml, "is_built", lambda kernel: False)


def test_a_kernel_to_be_compiled_is_announced():
    assert prepare_kernels(LAB, load_scenario("per-cpu-sas", "quick")) == (
        "per-cpu-sas: a kernel for its guests is compiled first, once: about 10 min on 2 "
        "processors (without=per-cpu-sas leaves the scenario out)"
    )


def test_once_compiled_there_is_nothing_to_say(monkeypatch):
    monkeypatch.setattr(uml, "is_built", lambda kernel: True)
    monkeypatch.setattr(LabTestbed, "backend_for", lambda *_: None)
    assert prepare_kernels(LAB, load_scenario("per-cpu-sas", "quick")) is None
    assert prepare_kernels(LAB, load_scenario("psk-rsa", "paper")) is None


def test_smoke_compiles_nothing_but_needs_qemu(monkeypatch):
    monkeypatch.setattr(qemu, "QEMU", "qemu-of-nobody")
    with pytest.raises(UserError, match=r"not installed; .*; or leave .* without=per-cpu-sas$"):
        prepare_kernels(LAB, load_scenario("per-cpu-sas", "smoke"))
