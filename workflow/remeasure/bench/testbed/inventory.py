"""Inventories: the hosts of a testbed, their possible roles, and how to log in."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology

if TYPE_CHECKING:
    import paramiko


def parse_host_key(text: str) -> paramiko.PKey:
    """Parse a public key 'type base64', which a comment may follow, as in a .pub file. Raises
    ValueError naming the error."""
    import paramiko  # takes as long as all else here: see remeasure.bench.testbed.remote

    kind, encoded = [*text.split(), "", ""][:2]
    try:
        return paramiko.PKey.from_type_string(kind, base64.b64decode(encoded, validate=True))
    except paramiko.pkey.UnknownKeyType:
        raise ValueError(
            f"unknown type of key {kind!r}; expected ssh-ed25519, ecdsa-sha2-nistp256, ssh-rsa, ..."
        ) from None
    except Exception as error:  # errors of paramiko and its libraries for arbitrary bytes
        raise ValueError(
            f"not a whole key of type {kind}; expected its type and its base64, as in a .pub file"
        ) from error


class Login(config.Strict):
    """How to reach a machine by SSH."""

    address: str = Field(min_length=1)
    """host name or IP address"""
    port: int = Field(22, ge=1, le=65535)
    """port of the SSH server"""
    user: str = Field("root", min_length=1)
    """user to log in as"""
    key: Path
    """file of the private key for the login; the key has no passphrase"""
    host_key: str | None = None
    """public host key of the machine as 'type base64'; without it the user's known_hosts decides"""

    @field_validator("key")
    @classmethod
    def _of_home(cls, key: Path) -> Path:
        if key == Path():
            raise ValueError("expected the file of a private key")
        return key.expanduser()

    @field_validator("host_key")
    @classmethod
    def _of_a_host(cls, text: str | None) -> str | None:
        if text is None:
            return None
        key = parse_host_key(text)
        return f"{key.get_name()} {key.get_base64()}"


class Host(Login):
    """One machine of a testbed."""

    name: str = Field(min_length=1)
    """name of the machine in messages and archives"""
    roles: list[str] = Field(min_length=1)
    """hosts of topologies that this machine can play"""
    jump: Login | None = None
    """machine to log in through, if this one cannot be reached directly"""
    sudo: bool = False
    """whether `user` becomes root by sudo, which must not ask for a password"""
    interfaces: dict[str, Annotated[str, Field(min_length=1)]]
    """link of the topology -> interface of this machine"""
    process: SkipJsonSchema[int | None] = None
    """PID of the host's kernel on the measuring machine, set by a lab that started the host"""
    own_kernel: SkipJsonSchema[bool] = False
    """True if the host is a guest with a kernel of its own, so that setting its clock affects no
    real machine; set by a lab"""


class Inventory(config.Named):
    """The hosts of a testbed of real machines."""

    kind = "testbed"
    backend: Literal["ssh"] = "ssh"
    """kind of testbed: machines that are reached by SSH"""
    hosts: list[Host] = Field(min_length=1)
    """the machines"""

    @model_validator(mode="after")
    def _hosts_fit_together(self) -> Self:
        roles = [role for host in self.hosts for role in host.roles]
        for what, names in (("name", [host.name for host in self.hosts]), ("role", roles)):
            if twice := ", ".join(sorted({name for name in names if names.count(name) > 1})):
                raise ValueError(f"more than one host has the {what} {twice}")
        return self

    def host(self, role: str) -> Host:
        """The host that plays `role`. Raises UserError if there is none."""
        for host in self.hosts:
            if role in host.roles:
                return host
        roles = ", ".join(role for host in self.hosts for role in host.roles)
        raise UserError(f"testbed {self.name}: no host has the role {role}; found {roles}")


def machine_of(inventory: Inventory, topology: Topology, role: str) -> Host:
    """The machine that plays a role. Raises UserError naming the gap in its inventory."""
    host = inventory.host(role)
    for link in topology.links_of(role):
        if link not in host.interfaces:
            raise UserError(
                f"testbed {inventory.name}: host {host.name}: interfaces.{link}: "
                f"missing; role {role} of topology {topology.name} is on that link"
            )
    if sum(other in host.roles for other in topology.hosts) > 1:
        raise UserError(
            f"testbed {inventory.name}: host {host.name}: has several roles of "
            f"topology {topology.name}; each needs a machine of its own"
        )
    return host


def root_of(host: Host) -> list[str]:
    """The words that, put before a command, run it as root: empty, or sudo."""
    return ["sudo", "-n"] if host.sudo else []
