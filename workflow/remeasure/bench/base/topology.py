"""The shape of a network: hosts, the links that join them, static routes, and addresses that lead
packets over these links."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Annotated, Any, Self, get_args

from pydantic import BaseModel, Field, model_validator

from remeasure.bench.base import config
from remeasure.bench.base.family import Address, Family, Interface, IPNetwork, family_of
from remeasure.bench.base.files import read_yaml
from remeasure.bench.base.names import plain_name
from remeasure.bench.base.paths import CONFIG

ShortName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]{0,13}$")]


class IsHost:
    """Marks a field of a model whose text must be the name of a host of the topology."""


HostName = Annotated[str, IsHost()]


def hosts_named(model: BaseModel) -> Iterator[tuple[str, str]]:
    """Field and host, for every field of `model` marked as `HostName`: a name, None (no host), a
    list of hosts, or a dict with hosts as keys."""
    for name, field in model.__class__.model_fields.items():
        # pydantic moves the mark of a plain HostName into the metadata of the field.
        marked = any(isinstance(mark, IsHost) for mark in field.metadata)
        if marked or HostName in get_args(field.annotation):
            value = getattr(model, name)
            hosts = [value] if isinstance(value, str) else value or []
            yield from ((name, host) for host in hosts)


class Topology(config.Named):
    """Hosts and the links that join them. An interface is named after its link."""

    kind = "topology"
    links: Annotated[
        dict[ShortName, Annotated[dict[ShortName, Interface], Field(min_length=2, max_length=2)]],
        Field(min_length=1),
    ]
    """link -> host -> address with prefix length; a link joins two hosts"""
    routes: dict[ShortName, dict[IPNetwork, Address]] = {}
    """host -> destination -> next hop"""

    @model_validator(mode="after")
    def _hosts_and_addresses_fit(self) -> Self:
        for host in self.routes:
            if host not in self.hosts:
                raise ValueError(f"routes.{host}: no link has this host")
        for link, ends in self.links.items():
            _check_link(link, ends)
        networks = {link: next(iter(ends.values())).network for link, ends in self.links.items()}
        for (link, network), (other, of_other) in combinations(networks.items(), 2):
            if network.overlaps(of_other):  # a host could not choose between them
                raise ValueError(
                    f"links.{other}: its network {of_other} overlaps {network} of link {link}; "
                    "expected a network of its own"
                )
        for host, routes in self.routes.items():
            for destination, hop in routes.items():
                self._check_route(host, destination, hop)
        return self

    def _check_route(self, host: str, destination: IPNetwork, hop: Address) -> None:
        """Raises ValueError naming a route whose next hop no link of the host has at its other end;
        and a host in `destination` without a link to `host` or a route to one of its networks:
        answers would find no way."""
        own = self.links_of(host)
        reached = {self.links[link][name].ip for link in own for name in self.links[link]}
        reached -= {address.ip for address in own.values()}
        if hop not in reached:
            known = ", ".join(map(str, sorted(reached, key=int)))
            raise ValueError(
                f"routes.{host}.{destination}: found next hop {hop}, expected the other end of "
                f"a link of {host}: {known}"
            )
        networks = [address.network for address in own.values()]
        for other in self.hosts:
            there = [address.network for address in self.links_of(other).values()]
            ways = [*there, *self.routes.get(other, {})]
            back = any(_within(one, to) for one in networks for to in ways)
            if not back and any(_within(one, destination) for one in there):
                raise ValueError(
                    f"routes.{other}: found no route to {networks[0]}, expected one, since {host} "
                    f"has a route to {destination}, where {other} is"
                )

    @property
    def document(self) -> dict[str, Any]:
        """The content of its file, as a campaign keeps it."""
        return self.model_dump(mode="json", exclude={"name"})

    @property
    def hosts(self) -> list[str]:
        """Names of all hosts, in the order of their first appearance in `links`."""
        return list(dict.fromkeys(host for ends in self.links.values() for host in ends))

    @property
    def gateways(self) -> list[str]:
        """Names of the hosts on more than one link, which pass packets on."""
        return [host for host in self.hosts if len(self.links_of(host)) > 1]

    def links_of(self, host: str) -> dict[str, Interface]:
        return {link: ends[host] for link, ends in self.links.items() if host in ends}

    @property
    def families(self) -> list[Family]:
        """The families of its addresses, in the order of its links."""
        return list(dict.fromkeys(map(self.family_on, self.links)))

    @property
    def family(self) -> Family:
        """The family of its first link, on which are hosts behind gateways."""
        return self.families[0]

    def family_on(self, link: str) -> Family:
        return family_of(next(iter(self.links[link].values())))

    def link_between(self, host: str, other: str) -> str:
        """The first link that joins `host` and `other`. Raises StopIteration if there is none."""
        return next(link for link in self.links_of(host) if link in self.links_of(other))

    def address(self, host: str, link: str | None = None) -> str:
        """A host's address on `link`, or on its first link, without the prefix length."""
        links = self.links_of(host)
        return str(links[link or next(iter(links))].ip)


def load_topology(name: str) -> Topology:
    """Read config/topologies/<name>.yaml. Raises UserError if the file is missing or wrong."""
    path = CONFIG / "topologies" / f"{plain_name('topology', name)}.yaml"
    return config.validate_named(Topology, path.stem, read_yaml(path), str(path))


def _check_link(link: str, ends: Mapping[str, Interface]) -> None:
    """Raises ValueError naming the field unless both ends can have their addresses, and reach each
    other. `ends`: host -> its address."""
    for host, address in ends.items():
        network, ip = address.network, address.ip
        # RFC 3021 and 6164: a network of two addresses has none of its own.
        several = network.prefixlen < family_of(address).prefix - 1
        own = several and ip in (network.network_address, network.broadcast_address)
        if own or ip.is_loopback or ip.is_multicast or ip.is_reserved or ip.is_link_local:
            raise ValueError(f"links.{link}.{host}: found {address}, expected a host's address")
    (host, address), (other, address_of_other) = ends.items()
    if address.ip == address_of_other.ip:
        raise ValueError(
            f"links.{link}: {host} and {other} both have {address.ip}; expected two addresses"
        )
    if address.network != address_of_other.network:
        raise ValueError(
            f"links.{link}: {host} is in {address.network}, {other} in {address_of_other.network}; "
            "expected one network"
        )


def _within(one: IPNetwork, other: IPNetwork) -> bool:
    return one.network_address in other and one.prefixlen >= other.prefixlen
