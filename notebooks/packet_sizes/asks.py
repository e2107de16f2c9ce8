"""Scenario packet-sizes: the largest payload by suite, mode and UDP, and one byte more."""

import itertools
from collections.abc import Collection
from functools import cached_property
from typing import Any, NamedTuple

import altair as alt
import pandas as pd

from remeasure.bench.base.family import BOTH_IPV4, BOTH_IPV6, IPV4, IPV6, Families
from remeasure.bench.ipsec import overhead
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.overhead import MTU, UDP, largest_packet, largest_udp_payload
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.models.datagram_fate import as_computed, fate, in_order, segment_size
from remeasure.paper.analysis.texts import NO_NUMBER
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, whole_text
from remeasure.paper.notebook.charts import figures
from remeasure.paper.notebook.charts.theme import PAGE, panel
from remeasure.paper.notebook.my_tunnel import OTHERS, esp_tunnel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.words import words_of

_WORDS = words_of(__file__)
WAYS, OVER_IPV6 = (
    {(mode, udp): of[udp] for mode, of in _WORDS[name].items() for udp in (False, True)}
    for name in ("ways", "over_ipv6")
)
"""mode, and whether ESP goes in UDP -> column of a table"""
GCM, CBC = "aes128gcm16", "aes128-sha256"
_VERSIONS = {BOTH_IPV4: "", BOTH_IPV6: "-v6", Families(IPV4, IPV6): "-4in6"}
"""versions of IP -> end of a mode's name"""
KINDS: dict[str, str] = _WORDS["kinds"]
LARGEST: Asked = {"metric": "largest"}
PIECES: dict[str, Asked] = _WORDS["pieces"]
PIECES_SOURCES = {"largest packet, computed": overhead.__name__}
CHECKED_SOURCES = dict.fromkeys(("computed", "as computed"), overhead.__name__) | dict.fromkeys(
    ("sizes", "sizes not as computed"), "count of observations of on_wire"
)
NUMBERS: dict[str, Asked] = _WORDS["numbers"]
SENDERS: dict[str, str] = _WORDS["senders"]
_FATE = ("arrived", "refused", "packets", "fragments")


class SizesOfCell(NamedTuple):
    """Measurements with a suite in a mode."""

    at: Asked
    """its part of a question"""
    tunnel: IpsecTunnel | None
    families: Families
    """of its packets; without IPsec, of the sender's"""
    largest: Estimate
    """largest payload in one packet [bytes]"""
    lengths: pd.Series
    """payload -> length of its packet on the wire [bytes]"""
    same: bool
    """whether the largest payload is as computed"""
    wrong: list[int]
    """payloads whose packet is not as long as computed [bytes]"""

    @property
    def computed(self) -> int:
        """The largest payload by the RFCs [bytes]."""
        inner, outer = self.families
        return largest_udp_payload(self.tunnel, family=outer, inner=inner)

    @property
    def as_computed(self) -> bool:
        return self.same and not self.wrong


class PacketSizes:
    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook = notebook
        notebook.summarise(estimator)
        tables = dict(list(notebook.observations.groupby(["suite", "mode"], observed=True)))
        keys = itertools.product(notebook.measured("suite"), notebook.measured("mode"))
        self.cells = {key: self._cell(*key, tables[key]) for key in keys if key in tables}
        """suite and mode -> its cell, if measured"""
        self.by_way: dict[tuple[str, str], SizesOfCell] = {}
        """suite without UDP and column of WAYS -> its cell"""
        for (suite, mode), cell in self.cells.items():
            tunnel = cell.tunnel
            name = (tunnel.esp or f"AH {tunnel.ah}") if tunnel else suite
            way = (WAYS | OVER_IPV6)[mode, tunnel is not None and tunnel.in_udp]
            self.by_way[name, way] = cell

    def _cell(self, suite: str, mode: str, table: pd.DataFrame) -> SizesOfCell:
        part: Asked = {"at": {"suite": suite, "mode": mode}}
        settings, network = self.notebook.cell(suite=suite, mode=mode)
        alike = Families(network.family, network.family)
        families = settings.tunnel.families(network) if settings.tunnel else alike
        values, tunnel = table.set_index("index")["value"], settings.ipsec
        sizes, lengths = (
            values[(table["metric"] == metric).to_numpy()] for metric in ("largest", "on_wire")
        )
        compared = as_computed(tunnel, sizes, lengths, families)
        largest = self.notebook.estimate(LARGEST, part)
        return SizesOfCell(part, tunnel, families, largest, lengths, *compared)

    def table(self, ways: Collection[str] = WAYS.values()) -> pd.DataFrame:
        """The largest payload [bytes] by suite and way."""

        def field(name: str, way: str) -> str:
            cell = self.by_way.get((name, way))
            return whole_text(cell.largest) if cell else NO_NUMBER

        names = dict.fromkeys(name for name, way in self.by_way if way in ways)
        return asked.grid("suite", names, ways, field)

    def chart(self) -> alt.LayerChart:
        """The largest payload by suite and way, over IPv4."""
        order = list(WAYS.values())
        names = list(dict.fromkeys(name for name, _ in self.by_way))
        cells = pd.DataFrame(
            {"row": name, "level": way} | self.by_way[name, way].largest.columns()
            for name, way in itertools.product(names, order)
            if (name, way) in self.by_way
        )
        return figures.points_and_intervals(
            cells[["row", "level", "value"]],
            cells,
            levels=order,
            legend="mode",
            x_title="largest UDP payload in one packet (B)",
            width=panel(PAGE, beside=170),
            scale=alt.Scale(zero=False),
            row_step=10,
        )

    # Comparison with the RFCs

    def _table(self, columns: dict[str, asked.AskedColumn]) -> pd.DataFrame:
        rows = {key: cell.at for key, cell in self.cells.items()}
        return asked.table(self.notebook, ("suite", "mode"), rows, columns, form=whole_text)

    def checked(self) -> pd.DataFrame:
        """Measured and computed payload of each cell, sizes sent, and those not as computed."""
        columns: dict[str, asked.AskedColumn] = {
            "measured": LARGEST,
            "computed": lambda key: str(self.cells[key].computed),
            "sizes": lambda key: str(len(self.cells[key].lengths)),
            "sizes not as computed": lambda key: str(len(self.cells[key].wrong)),
            "as computed": lambda key: str(self.cells[key].as_computed),
        }
        return self._table(columns)

    def measured(
        self, name: str, mode: str, udp: bool, families: Families = BOTH_IPV4
    ) -> dict[str, Any] | None:
        """Measurements of a suite in a mode, in UDP or not, for the site's page My tunnel."""
        way = (WAYS | OVER_IPV6).get((f"{mode}{_VERSIONS.get(families)}", udp), "")
        cell = self.by_way.get((name, way))
        if cell is None:
            return None
        least = None if cell.wrong else int(cell.lengths.index.min())
        return {"largest": round(cell.largest.value), "least": least}

    # One byte more

    def pieces(self) -> pd.DataFrame:
        """The columns of PIECES, and the largest packet by the RFCs, by cell."""

        def packet(key: tuple[str, str]) -> str:
            cell = self.cells[key]
            return str(cell.computed + UDP + cell.families.inner.header)

        return self._table({**PIECES, "largest packet, computed": packet})

    @cached_property
    def fates(self) -> pd.DataFrame:
        """Fate of four datagrams of one byte more, by cell and kind of sender."""
        table = self.notebook.observations
        parts = table["metric"].str.extract(f"^({'|'.join(SENDERS)})_({'|'.join(_FATE)})$")
        cell, block = ["suite", "mode", "sender"], ["campaign", "block"]
        table = table.assign(sender=parts[0], metric=parts[1])
        wide = table.pivot_table("value", [*cell, *block, "index"], "metric", observed=True)
        found: dict[tuple[str, str, str], set[str]] = {}
        for (suite, mode, sender, *_), of_block in wide.groupby(level=[*cell, *block]):
            protected = self.cells[suite, mode].tunnel is not None
            said = in_order([fate(row, protected) for row in of_block.to_dict("records")])
            found.setdefault((suite, mode, sender), set()).add(said)
        rows = [
            (*cell, sender, "; or ".join(sorted(found.get((*cell, sender), ()))))
            for cell in self.cells
            for sender in SENDERS
        ]
        return pd.DataFrame(rows, columns=["suite", "mode", "sender", "fate"])

    def fates_by_mode(self) -> pd.DataFrame:
        """Fate of four datagrams, by mode and sender, with the number of cells."""
        modes = [
            mode if self.cells[suite, mode].tunnel else f"none, {_sending(mode)}"
            for suite, mode in zip(self.fates["suite"], self.fates["mode"], strict=True)
        ]
        table = self.fates.assign(mode=modes, sender=self.fates["sender"].map(SENDERS))
        groups = table.groupby(["mode", "sender", "fate"], sort=False)
        return groups.size().rename("cells").reset_index()

    def _hand_over_kinds(self) -> None:
        """Keep a row for each of KINDS over IPv4 and over IPv6: the inner MTU, and the MSS for IPv4
        and for IPv6 inside [bytes], by the RFCs; measured ones with an asterisk. Only ESP pads
        beyond the MTU."""
        says = "inner MTU, and MSS for IPv4 and IPv6, over IPv4 and IPv6, by ipsec.overhead"
        for name, suite in KINDS.items():
            udp, cells = name.endswith("Udp"), list[str]()
            tunnel = OTHERS.get(suite) or esp_tunnel(suite, udp=udp)
            for outer in (IPV4, IPV6):
                fits = MTU - tunnel.growth(outer).fixed
                most = fits if suite in OTHERS else largest_packet(tunnel, family=outer)
                cells.append(str(most))
                for inner in (IPV4, IPV6):
                    seen = self.measured(suite, "tunnel", udp, Families(inner, outer))
                    segment = segment_size(most - inner.header - UDP)
                    cells.append(f"{segment}{'*' if seen else ''}")
            self.notebook.results.words(f"Kind{name}", " | ".join(cells), says)

    # Numbers

    def hand_over(self) -> None:
        results = self.notebook.results
        over_ipv4 = [key for key in self.by_way if key[1] in WAYS.values()]
        least = min(over_ipv4, key=lambda key: self.by_way[key].largest.value)
        results.words("LeastSuite", ", ".join(least), "suite and mode of the smallest payload")
        for name, suite, way in (*_WORDS["answered"], ("Least", *least)):
            if (suite, way) not in self.by_way:
                for what in ("Payload", "Segment"):
                    says = f"{what.lower()} of {suite}, {way}: not measured"
                    results.words(f"{what}{name}", NO_NUMBER, says)
                continue
            found = self.by_way[suite, way].largest
            results.number(f"Payload{name}", found, 0)
            says = "largest UDP payload + 8 (UDP) - 20 (TCP without options)"
            value = segment_size(found.value)
            segment = Estimate(value, value, value, found.n).computed(says, [found])
            results.number(f"Segment{name}", segment, 0)
        asked.hand_over(self.notebook, NUMBERS, whole_text)
        self._hand_over_kinds()
        says = "fate of four datagrams, by analysis.models.datagram_fate"
        protected = [key for key, cell in self.cells.items() if cell.tunnel]
        table = self.fates.set_index(["suite", "mode"]).loc[protected].reset_index()
        for mode, end in _WORDS["fates"].items():
            for sender in SENDERS:
                chosen = (table["mode"] == mode) & (table["sender"] == sender)
                said = set(table["fate"][chosen])
                same = said.pop() if len(said) == 1 else "not the same in all cells"
                results.words(f"{sender.capitalize()}{end}", same, says)
        differing = sum(not cell.as_computed for cell in self.cells.values())
        results.number("Cells", len(self.cells), 0, source="cells measured")
        results.count("Differing", differing, "cells not as computed")
        sizes = sum(len(cell.lengths) for cell in self.cells.values())
        results.number("Sizes", sizes, 0, source="sizes compared")


def _sending(mode: str) -> str:
    """The sender without IPsec, and the version of IP over which it sends."""
    way, _, version = mode.partition("-")
    return f"{_WORDS['sending'][way]}{_WORDS['versions'][version]}"
