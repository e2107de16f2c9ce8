"""The questions of `check` for a host, and its reading of the answers."""

import os
import re

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.ipsec.algorithms import MODULES
from remeasure.bench.testbed.inventory import Host
from remeasure.bench.testbed.tools import Tool
from remeasure.bench.testbed.watching import readiness
from remeasure.bench.testbed.watching.readiness import (
    Here,
    Needs,
    check_host,
    check_machine,
    require_ready,
)

NEEDS = Needs(modules=MODULES)


class Answering:
    """A host that has everything, except for entries of `wrong`: part of a command -> error."""

    def __init__(self, **wrong: Exception):
        self.host = Host(
            name="gw1", roles=["gw1"], address="192.0.2.1", key="none", interfaces={"wan": "eth1"}
        )
        self.name, self.address = self.host.name, "root@192.0.2.1:22"
        self.wrong = wrong

    def connect(self):
        self.run("connect")

    def run(self, command, *, timeout=30, check=True):
        text = command if isinstance(command, str) else " ".join(command)
        for part, error in self.wrong.items():
            if part in text:
                raise error
        if "for m in" in text:
            return "\n".join(MODULES)
        if asked := re.findall(r"=== version of %s\\n' (\S+);", text):
            return "".join(f"\n=== version of {name}\nthere\n" for name in asked)
        return {"id -un; id -u": "root\n0\n"}.get(text, "there\n")

    def run_each(self, commands):
        return [self.run(command) for command in commands]


@pytest.fixture
def clock(monkeypatch):
    def set_to(offset):
        monkeypatch.setattr(readiness, "offset_of", lambda remote: (offset, 0.0001))

    set_to(0.0)
    return set_to


def states(found):
    return {f.what: f.state for f in found}


def test_a_host_that_has_everything(clock):
    found = check_host(Answering(), Needs({"tc": Tool(["tc", "-V"], "iproute2")}, MODULES))
    assert set(states(found).values()) == {"present"}
    wanted = {"connection", "privileges", "tool tc", "kernel esp4", "interface wan", "clock"}
    assert wanted <= set(states(found))
    require_ready({"gw1": Answering()}, NEEDS)


def test_a_clock_that_is_off_is_wrong_and_measured_with(clock):
    clock(0.5)
    assert states(check_host(Answering(), NEEDS))["clock"] == "wrong"
    require_ready({"gw1": Answering()}, NEEDS)


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Makes programs that are found before this machine's."""

    def make(name, script):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)

    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return make


@pytest.mark.parametrize(
    ("oldest", "state", "detail"),
    [
        ("3.9", "present", r"iperf 3\.9 "),
        ("3.12", "wrong", r"iperf 3\.9 .*: older than 3\.12, .*install 3\.12 or later"),
    ],
)
def test_a_tool_that_is_too_old_is_named(programs, fixture, tmp_path, oldest, state, detail):
    (tmp_path / "said").write_bytes(fixture("iperf-3.9/version.txt"))
    programs("iperf3", f"cat {tmp_path}/said")
    tool = Tool(["iperf3", "--version"], "iperf3", oldest)
    findings = {one.what: one for one in check_machine(Here(), Needs({"iperf3": tool}))}
    found = findings["tool iperf3"]
    assert found.state == state and re.match(detail, found.detail)


@pytest.fixture
def with_modules(monkeypatch, tmp_path, programs):
    """A kernel that loads modules: it could load esp4, has ah4 loaded and md5 built in."""
    (tmp_path / "sys/ah4").mkdir(parents=True)
    (tmp_path / "sys/dummy").mkdir()
    (tmp_path / "lib/1.0").mkdir(parents=True)
    (tmp_path / "lib/1.0/modules.builtin").write_text("kernel/crypto/md5.ko\nkernel/x_gcm.ko\n")
    asked = tmp_path / "asked"
    programs("uname", "echo 1.0")
    programs("modprobe", f'echo "$*" >>{asked}; case "$*" in *esp4|*ah4|*md5) ;; *) exit 1; esac')
    moved = readiness._MODULES.replace("/proc/modules", str(tmp_path))
    monkeypatch.setattr(readiness, "_MODULES", moved)
    loaded = readiness._LOADED.replace("/sys/module", f"{tmp_path}/sys")
    moved = loaded.replace("/lib/modules", f"{tmp_path}/lib")
    monkeypatch.setattr(readiness, "_LOADED", moved)
    return asked


def modules(found):
    return {f.what.removeprefix("kernel ") for f in found if f.state == "present"}


def test_looking_loads_no_module(with_modules, monkeypatch):
    monkeypatch.setattr(readiness.os, "geteuid", lambda: 0)
    assert modules(check_machine(Here(), NEEDS)) == {"esp4", "ah4", "md5"}
    assert all(line.split()[0] == "-n" for line in with_modules.read_text().splitlines())


def test_without_root_a_module_must_be_loaded_or_built_in(with_modules, monkeypatch):
    monkeypatch.setattr(readiness.os, "geteuid", lambda: 1000)
    assert modules(check_machine(Here(), NEEDS)) == {"ah4", "md5"}
    assert not with_modules.exists()


class Upgraded(Answering):
    """A host that has lost the modules of the kernel it runs."""

    def run(self, command, *, timeout=30, check=True):
        if "for m in" in command:
            return ""
        return "6.12.1\n" if "modules.dep" in command else super().run(command)


def test_a_kernel_whose_modules_are_gone(clock):
    said = "kernel esp4 missing CONFIG_INET_ESP, .*kernel modules missing no /lib/modules/6.12.1; "
    with pytest.raises(UserError, match=said):
        require_ready({"gw1": Upgraded()}, NEEDS)
