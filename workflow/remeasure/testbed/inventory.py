"""An inventory names the hosts of a testbed, what role each plays, and how to log in."""

from pathlib import Path
from typing import Literal, get_args

from pydantic import Field, field_validator, model_validator

from remeasure import config
from remeasure.errors import UserError
from remeasure.paths import CONFIG
from remeasure.testbed.host_key import parse_host_key


class Login(config.Strict):
    """How to reach a machine by SSH."""

    address: str
    port: int = Field(22, ge=1, le=65535)
    user: str = "root"
    key: Path
    """private key to log in with"""
    host_key: str | None = None
    """public host key, type and base64; without it the user's known_hosts decides"""

    @field_validator("key")
    @classmethod
    def _of_home(cls, key: Path) -> Path:
        return key.expanduser()

    @field_validator("host_key")
    @classmethod
    def _of_a_host(cls, text: str | None) -> str | None:
        if text is None:
            return None
        key = parse_host_key(text)
        return f"{key.get_name()} {key.get_base64()}"


class WindowsSettings(config.Strict):
    """What a Windows host needs beside."""

    ipsec: Literal["netsecurity", "advfirewall", "ipsec"]
    """what manages its IPsec: module NetSecurity (Windows 8, Server 2012 and later), `netsh
    advfirewall` (7, Server 2008 R2) or `netsh ipsec` (Server 2003)"""
    flows: Literal["d-itg", "iperf3"] = "d-itg"
    """which tool makes the flows that a scenario asks D-ITG for"""
    tools: str = r"C:\remeasure-tools"
    """folder with ITGSend.exe, ITGRecv.exe and ITGDec.exe, or iperf3.exe, and their libraries"""
    work: str = r"C:\remeasure-work"
    """folder that is made for each trial, and removed"""


class Host(Login):
    """One machine."""

    name: str
    roles: list[str] = Field(min_length=1)
    """hosts of topologies that this machine plays"""
    jump: Login | None = None
    """a machine to go through, where this one cannot be reached"""
    sudo: bool = False
    """whether `user` becomes root by sudo, without being asked for a password"""
    os: Literal["linux", "windows"] = "linux"
    windows: WindowsSettings | None = None
    """of a host with `os: windows`"""
    interfaces: dict[str, str]
    """link of the topology -> interface of this machine, in Windows the name of the connection"""
    process: int | None = None
    """of a host that we started: its process on the measuring machine"""
    own_kernel: bool = False
    """of a guest: what is done to its kernel, as to its clock, is done to no machine"""

    @model_validator(mode="after")
    def _settings_of_its_os(self):
        if (self.os == "windows") != (self.windows is not None):
            raise ValueError(
                f"host {self.name}: os {self.os} "
                + ("needs the field windows" if self.os == "windows" else "has no field windows")
            )
        if self.os == "windows" and self.sudo:
            raise ValueError(f"host {self.name}: Windows has no sudo; log in as an administrator")
        return self


class Inventory(config.Named):
    """A set of hosts."""

    kind = "testbed"
    backend: Literal["ssh"] = "ssh"
    hosts: list[Host] = Field(min_length=1)

    @model_validator(mode="after")
    def _each_name_once(self):
        if twice := _twice([host.name for host in self.hosts]):
            raise ValueError(f"more than one host has the name {twice}")
        return self

    @model_validator(mode="after")
    def _each_role_once(self):
        if twice := _twice([role for host in self.hosts for role in host.roles]):
            raise ValueError(f"more than one host has the role {twice}")
        return self

    @model_validator(mode="after")
    def _one_os(self):
        if len({host.os for host in self.hosts}) > 1:
            kinds = ", ".join(f"{host.name} {host.os}" for host in self.hosts)
            raise ValueError(f"all hosts of a testbed have the same os, found {kinds}")
        return self

    @property
    def os(self) -> Literal["linux", "windows"]:
        """of all hosts"""
        return self.hosts[0].os

    def host(self, role: str) -> Host:
        """Raises UserError if nobody plays `role`."""
        for host in self.hosts:
            if role in host.roles:
                return host
        roles = ", ".join(role for host in self.hosts for role in host.roles)
        raise UserError(f"testbed {self.name}: no host has the role {role}; found {roles}")


def _twice(names: list[str]) -> str:
    """Those that are there more than once."""
    return ", ".join(sorted({name for name in names if names.count(name) > 1}))


class LabTestbed(config.Named):
    """A testbed of hosts that we start ourselves: guests, or (netns) namespaces of our kernel."""

    kind = "testbed"
    backend: Literal["uml", "uml-smp", "qemu", "netns"]
    several_cpus: Literal["auto", "uml-smp", "qemu"] = "auto"
    """in place of uml, for scenarios that say how many processors a guest has; auto: qemu where KVM
    works, else uml-smp"""
    memory_mib: int = Field(256, ge=128)
    """of each guest; a guest takes from this machine what it touches"""


def document_of(testbed: Inventory | LabTestbed) -> dict:
    """What tells a testbed from others: what its file sets, without defaults, and of machines
    nothing of how one gets to them, which is for nobody else to know."""
    document = testbed.model_dump(mode="json", exclude_defaults=True)
    private = {*Login.model_fields, "jump", "sudo", "process", "own_kernel"}
    hosts = [
        {key: value for key, value in host.items() if key not in private}
        for host in document.get("hosts", [])
    ]
    return document | ({"backend": testbed.backend, "hosts": hosts} if hosts else {})


def load_testbed(name: str) -> Inventory | LabTestbed:
    """Read config/testbeds/<name>.yaml. Raises UserError."""
    path = CONFIG / "testbeds" / f"{name}.yaml"
    data = config.read_yaml(path)
    backend = data.get("backend") if isinstance(data, dict) else None
    kind = (
        LabTestbed
        if backend in get_args(LabTestbed.model_fields["backend"].annotation)
        else Inventory
    )
    return config.validate_named(kind, path.stem, data, str(path))
