"""The shape of a network: hosts, the links that join them, and static routes."""

from collections.abc import Iterator
from typing import Annotated, Any, Self, get_args

from pydantic import BaseModel, Field, ValidatorFunctionWrapHandler, WrapValidator, model_validator

from remeasure.bench.base import config
from remeasure.bench.base.addressing import (
    check_families,
    check_link,
    check_links_apart,
    check_routes,
)
from remeasure.bench.base.family import IPV4, Family, Interface, Network, family_of
from remeasure.bench.base.names import plain_name
from remeasure.bench.base.paths import CONFIG

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]{0,13}$")]


def _of_link(value: object, convert: ValidatorFunctionWrapHandler) -> Interface:
    """The address that `value` says. Raises ValueError."""
    try:
        address: Interface = convert(value)
    except ValueError:
        raise ValueError(
            "expected an address with the length of its network, such as 192.0.2.1/24 or "
            "2001:db8::1/64"
        ) from None
    return address


Address = Annotated[Interface, WrapValidator(_of_link)]
"""address of a host on a link"""


class IsHost:
    """Marks a field of a model whose text must be the name of a host of the topology."""


HostName = Annotated[str, IsHost()]


def hosts_named(model: BaseModel) -> Iterator[tuple[str, str]]:
    """Field and host, for every field of `model` that is marked as `HostName`.

    A field may be optional (no host where it is None), a list of hosts, or a dict whose keys are
    hosts.
    """
    for name, field in model.__class__.model_fields.items():
        # pydantic moves the mark of a plain HostName into the metadata of the field.
        marked = any(isinstance(mark, IsHost) for mark in field.metadata)
        if marked or HostName in get_args(field.annotation):
            value = getattr(model, name)
            hosts = [value] if isinstance(value, str) else value or []
            yield from ((name, host) for host in hosts)


class Topology(config.Named):
    """Hosts and the links that join them, all of IPv4 or all of IPv6. An interface is named after
    its link."""

    kind = "topology"
    links: dict[Name, Annotated[dict[Name, Address], Field(min_length=2, max_length=2)]]
    """link -> host -> address with prefix length; a link joins two hosts"""
    alone: list[Name] = []
    """hosts that no link joins, for what is measured on one host by itself"""
    routes: dict[Name, dict[Network, str]] = {}
    """host -> destination -> next hop"""
    cores: dict[Name, Annotated[int, Field(ge=0, strict=True)]] = {}
    """host -> core that its guest in a lab keeps to, counted from 0 among the cores that may be
    used, for guests of one processor; without it the lab computes them from the links"""

    @model_validator(mode="after")
    def _hosts_alone_have_no_link(self) -> Self:
        for host in self.alone:
            if self.links_of(host):
                raise ValueError(f"alone: {host} is on a link; expected hosts without one")
        return self

    @model_validator(mode="after")
    def _routes_belong_to_hosts(self) -> Self:
        for host in self.routes:
            if host not in self.hosts:
                raise ValueError(f"routes.{host}: no link has this host")
        return self

    @model_validator(mode="after")
    def _addresses_fit(self) -> Self:
        check_families(self.links, self.routes)
        for link, ends in self.links.items():
            check_link(link, ends)
        check_links_apart(self.links)
        check_routes(self.links, self.routes)
        return self

    @model_validator(mode="after")
    def _each_host_has_a_core(self) -> Self:
        if strangers := [host for host in self.cores if host not in self.hosts]:
            raise ValueError(f"cores: no link has the host {', '.join(strangers)}")
        if missing := [host for host in self.hosts if self.cores and host not in self.cores]:
            raise ValueError(f"cores: {', '.join(missing)} missing; name a core for every host")
        return self

    @property
    def document(self) -> dict[str, Any]:
        """The content of its file, as a campaign keeps it. Campaigns that began before topologies
        could name cores, or hosts without links, have no such fields."""
        absent = {field for field in ("cores", "alone") if not getattr(self, field)}
        return self.model_dump(mode="json", exclude={"name", *absent})

    @property
    def hosts(self) -> list[str]:
        """Names of all hosts, in the order in which `links` first names them; then those
        alone."""
        joined = (host for ends in self.links.values() for host in ends)
        return list(dict.fromkeys([*joined, *self.alone]))

    @property
    def gateways(self) -> list[str]:
        """Names of the hosts on more than one link, which pass packets on."""
        return [host for host in self.hosts if len(self.links_of(host)) > 1]

    def links_of(self, host: str) -> dict[str, Interface]:
        """Links of one host: link -> the host's address on it."""
        return {link: ends[host] for link, ends in self.links.items() if host in ends}

    @property
    def family(self) -> Family:
        """The family of all its addresses; IPv4 where no link joins hosts."""
        addresses = [address for ends in self.links.values() for address in ends.values()]
        return family_of(addresses[0]) if addresses else IPV4

    def link_between(self, host: str, other: str) -> str:
        """The first link that joins `host` and `other`. Raises StopIteration if there is none."""
        return next(link for link in self.links_of(host) if link in self.links_of(other))

    def address(self, host: str, link: str | None = None) -> str:
        """A host's address on `link`, or on its first link, without the prefix length."""
        links = self.links_of(host)
        return str(links[link or next(iter(links))].ip)


def topologies() -> list[Topology]:
    """All topologies that have a file. Raises UserError."""
    return [load_topology(path.stem) for path in sorted((CONFIG / "topologies").glob("*.yaml"))]


def load_topology(name: str) -> Topology:
    """Read config/topologies/<name>.yaml. Raises UserError if the file is missing or wrong."""
    return config.load_named(
        Topology, CONFIG / "topologies" / f"{plain_name('topology', name)}.yaml"
    )
