"""The settings of one cell of a scenario, validated, also against the network between hosts; and
factors within a trial: one probe of the scenario's file, made into several by its field `each`.

    flow:
      probe: ditg
      each:
        transport: [tcp, udp]                              # a field of the probe, and its values
        load: {moderate: {rate: 500pps}, saturation: {rate: 120mbit}}     # a level sets fields

All combinations of levels are measured in every trial, over one tunnel, in random order.
"""

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Self

from pydantic import Field, SerializeAsAny, ValidationError, field_validator, model_validator

from remeasure.bench.base import config
from remeasure.bench.base.columns import RESERVED
from remeasure.bench.base.config import Strict
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.family import IPV6
from remeasure.bench.base.topology import Topology, hosts_named
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.kinds import AnyTunnel
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.probes import PROBES
from remeasure.bench.probes.base import Probe
from remeasure.bench.testbed.treatments.instructions import Instructions, Wanted
from remeasure.bench.testbed.treatments.receiving import Steering
from remeasure.bench.testbed.treatments.shaping import Shaping

# Names become columns of tables and parts of file names.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{,31}")
_NAME_IS = "letters, digits, '_' and '-', beginning with a letter, at most 32"
_LEVEL = re.compile(r"[A-Za-z0-9+-][A-Za-z0-9._+-]{,31}")
_LEVEL_IS = "letters, digits, '.', '_', '+' and '-', at most 32"


class Settings(Strict):
    """The settings of one cell: the scenario's, overlaid by the cell's levels."""

    cost_fields: ClassVar[frozenset[str]] = frozenset({"tunnel", "gro", "instructions"})
    """names of the fields that decide, set or not, the processor's work per bit of payload"""

    topology: str | None = None
    """network between the hosts, if not the scenario's: of the same hosts and links, with other
    addresses"""
    tunnel: SerializeAsAny[AnyTunnel] | None = None
    """the tunnel; null: none"""
    cpus: int | None = Field(None, ge=1, le=256)
    """processors of each host of a lab [processors]; null: the default of the lab's back end"""
    instructions: Instructions | None = None
    """instructions of the processor that the kernels of a lab's hosts may use for cryptography;
    null: none in guests of User Mode Linux, elsewhere the default"""
    steering: Steering | None = None
    """which processor works on received packets, on all links; null: hosts are left as they are"""
    gro: bool | None = None
    """whether interfaces merge received packets (generic receive offload), on all links; null:
    hosts are left unchanged"""
    shaping: dict[str, Shaping] = {}
    """<host>.<link> -> shaping of the packets that this host sends to the link"""
    probes: dict[str, SerializeAsAny[Probe]] = Field(min_length=1)
    """a name you choose -> a probe, in this order; a probe that `each` makes is called
    <name>.<level>.<level>; null, in a level of a factor: it is not run there"""

    @field_validator("probes", mode="before")
    @classmethod
    def _make_probes(cls, value: dict[str, Any]) -> dict[str, Probe]:
        return {
            full: _probe(full, variant)
            for name, fields in value.items()
            if fields is not None
            for full, variant in variants(name, fields)
        }

    @model_validator(mode="after")
    def _processors_for_their_sas(self) -> Self:
        per_cpu = self.ipsec.per_cpu if self.ipsec else "no"
        if per_cpu != "no" and self.cpus is None:
            raise ValueError(f"tunnel.per_cpu {per_cpu} needs cpus, a number per host")
        return self

    @property
    def ipsec(self) -> IpsecTunnel | None:
        """The tunnel if it is of IPsec, else None."""
        return self.tunnel if isinstance(self.tunnel, IpsecTunnel) else None

    @property
    def wanted(self) -> Wanted:
        """The cell's requirements of its hosts."""
        boots = any(probe.boots for probe in self.probes.values())
        return Wanted(self.cpus, self.instructions, self.topology, boots)

    @property
    def treatment(self) -> Self:
        """The settings without shaping that changes nothing, so that equal treatments are equal."""
        shaped = {place: one for place, one in self.shaping.items() if one != Shaping()}
        return self.model_copy(update={"shaping": shaped})

    @property
    def links_take_time(self) -> bool:
        """True if every link with a set rate takes time to send a packet, and there is one."""
        rated = [shaping for shaping in self.shaping.values() if shaping.rate]
        return bool(rated) and all(shaping.takes_time for shaping in rated)


def _probe(name: str, fields: object) -> Probe:
    if not isinstance(fields, dict) or "probe" not in fields:
        raise ValueError(f"{name}: no field `probe`; give the tool")
    fields = dict(fields)
    kind = fields.pop("probe")
    if kind not in PROBES:
        raise ValueError(f"{name}: unknown probe {kind!r}; known: {', '.join(PROBES)}")
    if "levels" in fields and not name.count("."):
        raise ValueError(f"{name}.levels: not a field; factors within a trial are given by `each`")
    try:
        return PROBES[kind].model_validate(fields)
    except ValidationError as error:
        first = config.sentence(PROBES[kind], error.errors()[0])
        raise ValueError(f"{name}.{first}") from None


def overlay(base: Any, over: Any) -> Any:
    """Merge `over` into `base`, recursively. An explicit null in `base` stays null: a cell without
    a tunnel takes no settings of one."""
    if isinstance(base, dict) and isinstance(over, dict):
        merged = dict(base)
        for key, value in over.items():
            merged[key] = overlay(base[key], value) if key in base else value
        return merged
    return None if base is None and isinstance(over, dict) else over


def variants(name: str, fields: object) -> Iterator[tuple[str, object]]:
    """Yield <name>.<level>... and its fields, for every combination of levels; `name` and `fields`
    unchanged without `each`. Raises ValueError naming the error in `each`."""
    if "." in name:
        raise ValueError(f"{name}: the name of a probe has no dot")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name}: not a name of a probe; expected {_NAME_IS}")
    if not isinstance(fields, dict) or "each" not in fields:
        yield name, fields
        return
    base = {key: value for key, value in fields.items() if key != "each"}
    each = fields["each"]
    if not isinstance(each, dict) or not each:
        raise ValueError(f"{name}.each: found {each!r}, expected factor: levels")
    factors = {
        factor: _levels(f"{name}.each.{factor}", factor, levels) for factor, levels in each.items()
    }
    for factor, of_factor in factors.items():
        check_factor(f"{name}.each.{factor}", factor, of_factor)
    for combination in itertools.product(*(levels.items() for levels in factors.values())):
        levels = dict(zip(factors, (level for level, _ in combination), strict=True))
        settings = {key: value for _, part in combination for key, value in part.items()}
        yield ".".join([name, *levels.values()]), base | settings | {"levels": levels}


def check_factor(where: str, factor: str, levels: Iterable[str]) -> None:
    """Raises ValueError if a factor or one of its levels cannot have this name."""
    if factor in RESERVED:
        raise ValueError(f"{where}: the tables have a column of this name")
    if not _NAME.fullmatch(factor):
        raise ValueError(f"{where}: not a name of a factor; expected {_NAME_IS}")
    for level in levels:
        if not _LEVEL.fullmatch(level):
            raise ValueError(f"{where}: level {level!r}: not a name; expected {_LEVEL_IS}")


def _levels(where: str, factor: str, levels: object) -> dict[str, dict[str, Any]]:
    if isinstance(levels, list) and levels:
        return {str(value): {factor: value} for value in levels}
    if isinstance(levels, dict) and levels and all(isinstance(v, dict) for v in levels.values()):
        return {str(level): settings for level, settings in levels.items()}
    raise ValueError(f"{where}: found {levels!r}, expected a list of values, or level: fields")


def interfaces_of(topology: Topology) -> set[str]:
    """The interfaces of all hosts, each as <host>.<link>."""
    return {f"{host}.{link}" for host in topology.hosts for link in topology.links_of(host)}


def check_network(settings: Settings, own: Topology, network: Topology, where: str) -> None:
    """Raises UserError if the network of a cell has other links than its scenario's `own`, and for
    settings that cannot be measured, or not be proven, with addresses of its families."""
    tunnel = settings.tunnel
    known, found = ({name: [*ends] for name, ends in one.links.items()} for one in (own, network))
    if known != found:
        raise UserError(
            f"{where}: topology: found {network.name}, which has other links than "
            f"{own.name}; expected the same hosts and links, with other addresses"
        )
    families = " and ".join(map(str, network.families))
    said = f"found topology {network.name}, whose addresses are of {families}"
    for name, probe in settings.probes.items():
        if IPV6 in network.families and not probe.takes_ipv6:
            raise UserError(
                f"{where}: probes.{name}: {said}; expected IPv4 for probe {probe.kind}: use "
                "another topology, or leave the probe out"
            )
    if tunnel and (why := tunnel.why_not(tunnel.families(network))):
        raise UserError(f"{where}: tunnel.{why}; {said}: use another topology or tunnel")


def check_tunnel(tunnel: Tunnel, topology: Topology, where: str) -> None:
    """Raises UserError if the topology lacks a part of the tunnel."""
    known = interfaces_of(topology)
    for field, host in hosts_named(tunnel):
        require_host(topology, host, f"{where}.{field}")
    if broken := tunnel.broken_path(topology):
        raise UserError(f"{where}.link: {broken} (topology {topology.name})")
    for host, link in tunnel.protects.items():
        if f"{host}.{link}" not in known:
            raise UserError(
                f"{where}.protects: no interface {host}.{link} in topology "
                f"{topology.name}; known: {', '.join(sorted(known))}"
            )
    if (
        isinstance(tunnel, IpsecTunnel)
        and tunnel.eap
        and not (set(topology.links_of(tunnel.aaa_host)) & set(topology.links_of(tunnel.responder)))
    ):
        raise UserError(
            f"{where}.aaa: {tunnel.aaa} is not on a link of {tunnel.responder} in topology "
            f"{topology.name}"
        )


def require_host(topology: Topology, host: str, field: str) -> None:
    """Raises UserError naming the field if the topology lacks the host in it."""
    if host not in topology.hosts:
        raise UserError(
            f"{field}: no host {host!r} in topology {topology.name}; "
            f"known: {', '.join(topology.hosts)}"
        )
