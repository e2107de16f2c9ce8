"""A designed experiment, read from notebooks/<name>/scenario.yaml. A factor's level is a partial
copy of the scenario's settings; a cell's settings are the scenario's, overlaid by its levels. Any
value may be given by profile (campaign/profiles.py): {smoke: 1, quick: 2, paper: 10}."""

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator, with_config
from typing_extensions import TypedDict

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_yaml
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import NOTEBOOKS, PUBLISHED
from remeasure.bench.base.topology import Topology, hosts_named, load_topology
from remeasure.bench.campaign.profiles import check_profile_name, under_profile
from remeasure.bench.campaign.settings import (
    Settings,
    check_factor,
    check_network,
    check_tunnel,
    interfaces_of,
    overlay,
    require_host,
)
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.probes.base import Probe

Cell = dict[str, str]
"""factor -> level"""


@with_config(ConfigDict(extra="allow"))
class Level(TypedDict, total=False):
    """The fields that a level of a factor lays over settings of the scenario; `Settings` validates
    all others."""

    topology: str
    tunnel: dict[str, Any] | None
    shaping: dict[str, dict[str, Any]]
    probes: dict[str, dict[str, Any] | None]
    only: dict[str, list[str]]
    """factor -> the levels of it with which this level is measured; a factor that is not named:
    all"""


_NO_STUDY = ("ours", "mine", "none")
"""`study` of a scenario whose question no study asked"""


class Design(config.Named):
    """The content of a scenario file. Settings are validated cell by cell, by `Scenario`."""

    kind = "scenario"
    study: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")
    """study whose question the scenario answers: name of a file in data/published, without suffix;
    `ours`, `mine` or `none` if no study asked it"""
    title: str
    """the comparison, in one line"""
    about: Literal["network", "processor"] = "network"
    """the cause of the answer: network and protocol, or the speed of processors, of which nothing
    can be learned in virtual time"""
    topology: str
    """network between the hosts: name of a file in config/topologies, without suffix"""
    blocks: int = Field(ge=1, le=1000)
    """randomised complete replicates: in each block every cell is measured once"""
    factors: dict[str, dict[str, Level]] = Field(min_length=1)
    """factor -> level -> its settings; a cell is one combination of levels"""
    twins: list[str] = []
    """factors whose levels may be one treatment under several names"""
    only: dict[str, list[str]] = {}
    """factor -> levels to measure, for profiles that leave some out; a factor that is not named
    here is measured at all its levels"""
    tunnel: dict[str, Any] | None = None
    """the tunnel of all cells; null: none"""
    shaping: dict[str, dict[str, Any]] = {}
    """<host>.<link> -> shaping of the packets that this host sends to the link"""
    probes: dict[str, dict[str, Any]] = {}
    """a name you choose -> a probe, in this order, in every cell"""

    @model_validator(mode="after")
    def _names_of_factors(self) -> Self:
        for factor, levels in self.factors.items():
            check_factor(f"factors.{factor}", factor, levels)
        if unknown := [factor for factor in self.twins if factor not in self.factors]:
            raise ValueError(
                f"twins: found {unknown[0]}, expected some of {', '.join(self.factors)}"
            )
        given = {"only": self.only} | {
            f"factors.{factor}.{name}.only": level.get("only", {})
            for factor, levels in self.factors.items()
            for name, level in levels.items()
        }
        for where, only in given.items():
            for factor, chosen in only.items():
                unknown = [level for level in chosen if level not in self.factors.get(factor, {})]
                if unknown or not chosen:
                    raise ValueError(
                        f"{where}.{factor}: found {unknown or chosen}, expected levels of "
                        f"factors.{factor}"
                    )
        return self


class Scenario:
    """A design under one profile, with the validated settings of every cell. Raises UserError
    naming the file and the field if the settings of any cell are wrong."""

    def __init__(
        self,
        name: str,
        document: dict[str, Any],
        profile: str,
        source: str,
        topologies: Mapping[str, dict[str, Any]] | None = None,
    ):
        """`topologies` is the content of files of topologies, which are read if they are
        missing."""
        self.name = name
        self.document = document
        """the file's content with the profile's values filled in"""
        self.profile = profile
        self.design = config.validate_named(Design, name, document, source)
        self.networks = {
            network: config.validate_named(Topology, network, content, source)
            for network, content in (topologies or {}).items()
        }
        """topology of the scenario or a cell -> its content"""
        self.topology = self._network(self.design.topology)
        self._settings = {key_of(cell): self._settings_of(cell, source) for cell in self.all_cells}
        if not self.cells:
            raise UserError(f"{source}: only: found no cell that all of them allow")

    @property
    def shaped_places(self) -> list[str]:
        """The interfaces that any cell shapes, each as <host>.<link>."""
        return sorted({place for one in self._settings.values() for place in one.shaping})

    @property
    def all_cells(self) -> list[Cell]:
        """Every combination of levels, measured or not."""
        levels = itertools.product(*self.design.factors.values())
        return [dict(zip(self.design.factors, one, strict=True)) for one in levels]

    @property
    def cells(self) -> list[Cell]:
        """The cells that are measured under the profile."""
        return [cell for cell in self.all_cells if self._is_measured(cell)]

    def _is_measured(self, cell: Cell) -> bool:
        of_levels = (self.design.factors[f][level].get("only", {}) for f, level in cell.items())
        return all(
            cell[factor] in levels
            for only in (self.design.only, *of_levels)
            for factor, levels in only.items()
        )

    @property
    def probes(self) -> dict[str, list[Probe]]:
        """Name of a probe, without levels -> the probes that have it in some cell."""
        found: dict[str, list[Probe]] = {}
        for settings in self._settings.values():
            for name, probe in settings.probes.items():
                found.setdefault(name.partition(".")[0], []).append(probe)
        return found

    def settings(self, cell: Cell) -> Settings:
        return self._settings[key_of(cell)]

    @property
    def documents(self) -> dict[str, dict[str, Any]]:
        """Each of its topologies -> the content of its file."""
        return {name: network.document for name, network in self.networks.items()}

    def network(self, settings: Settings) -> Topology:
        """The network of a cell with these settings."""
        return self._network(settings.topology or self.design.topology)

    def _network(self, name: str) -> Topology:
        if name not in self.networks:
            self.networks[name] = load_topology(name)
        return self.networks[name]

    def settings_where(self, **levels: str) -> Settings:
        """Settings of the first cell with these levels, measured or not."""
        cell = next(c for c in self.all_cells if levels.items() <= c.items())
        return self.settings(cell)

    def _settings_of(self, cell: Cell, source: str) -> Settings:
        base = self.design.model_dump(include={"tunnel", "shaping", "probes"})
        where = f"{source}: cell {key_of(cell)}"
        for factor, level in cell.items():
            part = self.design.factors[factor][level]
            self._check_left_out(part, where)
            base = overlay(base, {field: one for field, one in part.items() if field != "only"})
        settings = config.validate(Settings, base, where)
        self._check_places(settings, where)
        check_network(settings, self.topology, self.network(settings), where)
        return settings

    def _check_left_out(self, level: Level, where: str) -> None:
        levels = (one for of in self.design.factors.values() for one in of.values())
        probes = (pair for one in levels for pair in one.get("probes", {}).items())
        known = [*self.design.probes, *(name for name, of in probes if of is not None)]
        for name, fields in level.get("probes", {}).items():
            if fields is None and name not in known:
                raise UserError(
                    f"{where}: probes.{name}: found null, which leaves a probe out; expected one "
                    f"of the scenario's own: {', '.join(dict.fromkeys(known)) or 'it has none'}"
                )

    def _check_places(self, settings: Settings, where: str) -> None:
        known = interfaces_of(self.topology)
        for place in settings.shaping:
            if place not in known:
                raise UserError(
                    f"{where}: shaping.{place}: no such interface in topology "
                    f"{self.topology.name}; known: {', '.join(sorted(known))}"
                )
        if settings.tunnel:
            check_tunnel(settings.tunnel, self.topology, f"{where}: tunnel")
        for name, probe in settings.probes.items():
            if both := sorted(set(probe.levels) & set(self.design.factors)):
                raise UserError(f"{where}: probes.{name}: {both[0]} is a factor between trials too")
            tunnel, ipsec = settings.tunnel, settings.ipsec
            many = ipsec is not None and ipsec.count is not None
            if tunnel and many != probe.many_tunnels:
                wanted = "needs tunnel.count" if probe.many_tunnels else "takes no tunnel.count"
                raise UserError(f"{where}: probes.{name}: probe {probe.kind} {wanted}")
            if probe.controls_tunnel and not (tunnel if probe.any_tunnel else ipsec):
                found = f"one of kind {tunnel.kind}" if tunnel else "none"
                raise UserError(
                    f"{where}: probes.{name}: needs a tunnel of kind {IpsecTunnel.kind}, and the "
                    f"cell has {found}"
                )
            for field, host in hosts_named(probe):
                require_host(self.topology, host, f"{where}: probes.{name}.{field}")


def key_of(cell: Cell) -> str:
    """The cell as one line of text, such as 'auth=psk network=normal'."""
    return " ".join(f"{factor}={level}" for factor, level in cell.items())


def scenario_path(name: str) -> Path:
    """notebooks/<name>/scenario.yaml. Raises UserError unless `name` is spelled as a scenario's
    name."""
    return NOTEBOOKS / Name(name).notebook / "scenario.yaml"


def load_scenario(name: str, profile: str) -> Scenario:
    """Read a scenario's file under a profile. Raises UserError naming the file and the wrong
    field."""
    check_profile_name(profile)
    path = scenario_path(name)
    try:
        document = under_profile(read_yaml(path), profile)
    except ValueError as error:
        raise UserError(f"{path}: {error}") from None
    scenario = Scenario(name, document, profile, str(path))
    _require_study(scenario.design.study, path)
    _require_distinct_cells(scenario, path)
    return scenario


def _require_distinct_cells(scenario: Scenario, path: Path) -> None:
    """Raises UserError if two measured cells have equal settings, unless only levels of the tunnel
    differ and neither cell has one, or a factor is one of `twins`."""
    for cell, other in itertools.combinations(scenario.cells, 2):
        settings = scenario.settings(cell)
        if settings.treatment != scenario.settings(other).treatment:
            continue
        differing = [factor for factor in cell if cell[factor] != other[factor]]
        parts = [scenario.design.factors[f][at[f]] for f in differing for at in (cell, other)]
        fields = {*itertools.chain(*parts)} - {"only"}
        swallowed = settings.tunnel is None and fields == {"tunnel"}
        if not (swallowed or {*differing} & {*scenario.design.twins}):
            factor = differing[0]
            raise UserError(
                f"{path}: factors.{factor}: found equal settings in cells {key_of(cell)} and "
                f"{key_of(other)}; expected {cell[factor]} and {other[factor]} to differ, or "
                f"twins: [{factor}] if they are one treatment under two names"
            )


def _require_study(study: str, path: Path) -> None:
    """Not of a campaign's scenario: a study may be named otherwise, or be removed, later."""
    known = sorted(published.stem for published in PUBLISHED.glob("*.yaml"))
    if study not in (*known, *_NO_STUDY):
        raise UserError(
            f"{path}: study: found {study}, expected one of {', '.join(known)}, or "
            f"{', '.join(_NO_STUDY)} where no study asked this"
        )
