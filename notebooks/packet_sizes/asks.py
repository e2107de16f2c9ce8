"""Scenario packet-sizes: the largest payload by suite, mode and UDP, and one byte more."""

from collections.abc import Collection
from functools import cached_property

import altair as alt
import pandas as pd

from remeasure.bench.base.family import Families
from remeasure.bench.ipsec import overhead
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.overhead import UDP, largest_udp_payload
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.models.datagram_fate import as_computed, fate, in_order, segment_size
from remeasure.paper.analysis.texts import NO_NUMBER
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, at, whole_text
from remeasure.paper.notebook.charts import figures
from remeasure.paper.notebook.charts.theme import PAGE, panel
from remeasure.paper.notebook.my_tunnel import Measured
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

WAYS = {
    ("tunnel", False): "tunnel",
    ("tunnel", True): "tunnel in UDP",
    ("transport", False): "transport",
    ("transport", True): "transport in UDP",
}
"""mode, and whether ESP goes in UDP -> column of the table of IPv4"""
OVER_IPV6 = {
    ("tunnel-v6", False): "tunnel, IPv6 in IPv6",
    ("tunnel-v6", True): "IPv6 in IPv6 in UDP",
    ("transport-v6", False): "transport, IPv6",
    ("transport-v6", True): "transport in UDP, IPv6",
    ("tunnel-4in6", False): "tunnel, IPv4 in IPv6",
    ("tunnel-4in6", True): "IPv4 in IPv6 in UDP",
}
"""the same for gateways that reach each other by IPv6"""
GCM, CBC = "aes128gcm16", "aes128-sha256"
LARGEST: Asked = {"metric": "largest"}
PIECES: dict[str, Asked] = {
    "first piece": {"metric": "dont_longest"},
    "second piece": {"metric": "dont_shortest"},
    "MTU known afterwards": {"metric": "want_mtu", "within": "median"},
}
"""columns: lengths of the pieces of one byte more without DF, and the MTU learnt by a sender of
Linux's default [bytes]"""
PIECES_SOURCES = {"largest packet, computed": overhead.__name__}
CHECKED_SOURCES = dict.fromkeys(("computed", "as computed"), overhead.__name__) | dict.fromkeys(
    ("sizes", "sizes not as computed"), "count of observations of on_wire"
)
ANSWERED = [
    ("Gcm", GCM, "tunnel"),
    ("GcmUdp", GCM, "tunnel in UDP"),
    ("Cbc", CBC, "tunnel"),
    ("CbcUdp", CBC, "tunnel in UDP"),
    ("GcmSix", GCM, "tunnel, IPv6 in IPv6"),
    ("GcmSixUdp", GCM, "IPv6 in IPv6 in UDP"),
    ("CbcSix", CBC, "tunnel, IPv6 in IPv6"),
    ("GcmMixed", GCM, "tunnel, IPv4 in IPv6"),
]
"""end of the name of a number, suite, and way (WAYS)"""
NUMBERS = {"Told": at({"metric": "want_told"}, suite=GCM, mode="tunnel")} | {
    f"{name} {mode}".title().replace(" ", ""): at(PIECES[f"{name} piece"], suite=GCM, mode=mode)
    for name in ("first", "second")
    for mode in ("tunnel", "transport")
}
SENDERS = {"dont": "DF not set", "want": "Linux's default", "do": "DF demanded"}
_FATE = ("arrived", "refused", "packets", "fragments")
FATES = {"tunnel": "Tunnel", "transport": "Transport", "tunnel-v6": "Six", "tunnel-4in6": "Mixed"}
"""mode whose fates are in the answer -> end of their names"""
_SENDING = {"tunnel": "a host behind the gateway sends", "transport": "the gateway sends"}


class PacketSizes:
    """The trials of scenario packet-sizes."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook = notebook
        notebook.summarise(estimator)
        found = notebook.observations[["suite", "mode"]].drop_duplicates()
        known = set(found.itertuples(index=False, name=None))
        suites, modes = notebook.measured("suite"), notebook.measured("mode")
        self.cells: dict[tuple[str, str], Asked] = {
            (suite, mode): {"at": {"suite": suite, "mode": mode}}
            for suite in suites
            for mode in modes
            if (suite, mode) in known
        }
        """level of suite and mode of every cell that was measured -> its part of a question"""
        self.by_way: dict[tuple[str, str], tuple[str, str]] = {}
        """suite without UDP and column of WAYS -> its cell"""
        for suite, mode in self.cells:
            tunnel = self.tunnel(suite, mode)
            name = (tunnel.esp or f"AH {tunnel.ah}") if tunnel else suite
            way = (WAYS | OVER_IPV6)[mode, tunnel is not None and tunnel.in_udp]
            self.by_way[name, way] = suite, mode

    def tunnel(self, suite: str, mode: str) -> IpsecTunnel | None:
        """The tunnel of a cell."""
        return self.notebook.cell(suite=suite, mode=mode)[0].ipsec

    def families(self, suite: str, mode: str) -> Families:
        """Families of the packets of a cell; without IPsec, of the sender's."""
        settings, network = self.notebook.cell(suite=suite, mode=mode)
        alike = Families(network.family, network.family)
        return settings.tunnel.families(network) if settings.tunnel else alike

    def computed(self, suite: str, mode: str) -> int:
        """The largest payload by the RFCs [bytes]."""
        inner, outer = self.families(suite, mode)
        return largest_udp_payload(self.tunnel(suite, mode), family=outer, inner=inner)

    @cached_property
    def largest(self) -> dict[tuple[str, str], Estimate]:
        """Suite without UDP and column of WAYS -> the largest payload [bytes]."""
        return {
            key: self.notebook.estimate(LARGEST, self.cells[cell])
            for key, cell in self.by_way.items()
        }

    def table(self, ways: Collection[str] = WAYS.values()) -> pd.DataFrame:
        """The largest payload [bytes] by suite and way."""

        def field(name: str, way: str) -> str:
            found = self.largest.get((name, way))
            return whole_text(found) if found else NO_NUMBER

        names = dict.fromkeys(name for name, way in self.by_way if way in ways)
        return asked.grid("suite", names, ways, field)

    def chart(self) -> alt.LayerChart:
        """The largest payload by suite and way, over IPv4."""
        order = list(WAYS.values())
        names = list(dict.fromkeys(name for name, _ in self.by_way))
        over_ipv4 = [key for key in self.largest if key[1] in order]
        keys = sorted(over_ipv4, key=lambda key: (names.index(key[0]), order.index(key[1])))
        cells = pd.DataFrame(
            {"row": name, "level": way} | self.largest[name, way].columns() for name, way in keys
        )
        return figures.points_and_intervals(
            cells[["row", "level", "value"]],
            cells,
            levels=order,
            legend="mode",
            x_title="largest UDP payload in one packet (B)",
            width=panel(PAGE, beside=170),
            scale=alt.Scale(zero=False),
        )

    # Comparison with the RFCs

    @cached_property
    def _compared(self) -> dict[tuple[str, str], tuple[pd.Series, bool, pd.Series]]:
        """Cell -> lengths on the wire by payload [bytes]; whether the largest payload is as
        computed; and lengths that are not."""
        table = self.notebook.observations
        found = {}
        for suite, mode in self.cells:
            of_cell = table[(table["suite"] == suite) & (table["mode"] == mode)].set_index("index")
            largest, lengths = (
                of_cell["value"][of_cell["metric"] == metric] for metric in ("largest", "on_wire")
            )
            cell = self.tunnel(suite, mode), largest, lengths, self.families(suite, mode)
            found[suite, mode] = lengths, *as_computed(*cell)
        return found

    def checked(self) -> pd.DataFrame:
        """Each cell: measured and computed payload, number of sizes sent, and number of them with
        another length on the wire than computed."""
        columns: dict[str, asked.Column] = {
            "measured": LARGEST,
            "computed": lambda cell: str(self.computed(*cell)),
            "sizes": lambda cell: str(len(self._compared[cell][0])),
            "sizes not as computed": lambda cell: str(len(self._compared[cell][2])),
            "as computed": lambda cell: str(self._as_computed(cell)),
        }
        head = "suite", "mode"
        return asked.table(self.notebook, head, self.cells, columns, form=whole_text)

    def _as_computed(self, cell: tuple[str, str]) -> bool:
        _, same, wrong = self._compared[cell]
        return same and not len(wrong)

    def measured(self, name: str, mode: str, udp: bool) -> Measured | None:
        """Measurements of a suite in a mode, in UDP or not, for the site's page My tunnel."""
        key = name, WAYS[mode, udp]
        if key not in self.largest:
            return None
        lengths, _, wrong = self._compared[self.by_way[key]]
        least = None if len(wrong) else int(lengths.index.min())
        return Measured(round(self.largest[key].value), least)

    # One byte more

    def pieces(self) -> pd.DataFrame:
        """The columns of PIECES, and the largest packet by the RFCs, by cell."""
        columns: dict[str, asked.Column] = {
            **PIECES,
            "largest packet, computed": lambda cell: str(
                self.computed(*cell) + UDP + self.families(*cell).inner.header
            ),
        }
        head = "suite", "mode"
        return asked.table(self.notebook, head, self.cells, columns, form=whole_text)

    @cached_property
    def fates(self) -> pd.DataFrame:
        """Fate of four datagrams of one byte more, by cell and kind of sender."""
        table = self.notebook.observations
        parts = table["metric"].str.extract(f"^({'|'.join(SENDERS)})_({'|'.join(_FATE)})$")
        cell, block = ["suite", "mode", "sender"], ["campaign", "block"]
        wide = table.assign(sender=parts[0], metric=parts[1]).pivot_table(
            index=[*cell, *block, "index"], columns="metric", values="value", observed=True
        )
        found: dict[tuple[str, str, str], set[str]] = {}
        for (suite, mode, sender, *_), of_block in wide.groupby(level=[*cell, *block]):
            protected = self.tunnel(suite, mode) is not None
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
            mode if self.tunnel(suite, mode) else f"none, {_sending(mode)}"
            for suite, mode in zip(self.fates["suite"], self.fates["mode"], strict=True)
        ]
        table = self.fates.assign(mode=modes, sender=self.fates["sender"].map(SENDERS))
        groups = table.groupby(["mode", "sender", "fate"], sort=False)
        return groups.size().rename("cells").reset_index()

    # Numbers

    def hand_over(self) -> None:
        """Keep the numbers of the answer."""
        results = self.notebook.results
        over_ipv4 = [key for key in self.largest if key[1] in WAYS.values()]
        least = min(over_ipv4, key=lambda key: self.largest[key].value)
        results.words("LeastSuite", ", ".join(least), "suite and mode of the smallest payload")
        for name, suite, way in (*ANSWERED, ("Least", *least)):
            found = self.largest.get((suite, way))
            if found is None:
                for what in ("Payload", "Segment"):
                    says = f"{what.lower()} of {suite}, {way}: not measured"
                    results.words(f"{what}{name}", NO_NUMBER, says)
                continue
            results.number(f"Payload{name}", found, 0)
            says = "largest UDP payload + 8 (UDP) - 20 (TCP without options)"
            value = segment_size(found.value)
            segment = Estimate(value, value, value, found.n).computed(says, [found])
            results.number(f"Segment{name}", segment, 0)
        asked.hand_over(self.notebook, NUMBERS, whole_text)
        says = "fate of four datagrams, by analysis.models.datagram_fate"
        protected = [cell for cell in self.cells if self.tunnel(*cell)]
        table = self.fates.set_index(["suite", "mode"]).loc[protected].reset_index()
        for mode, end in FATES.items():
            for sender in SENDERS:
                chosen = (table["mode"] == mode) & (table["sender"] == sender)
                said = set(table["fate"][chosen])
                same = said.pop() if len(said) == 1 else "not the same in all cells"
                results.words(f"{sender.capitalize()}{end}", same, says)
        differing = sum(not self._as_computed(cell) for cell in self.cells)
        results.number("Cells", len(self.cells), 0, source="cells measured")
        results.count("Differing", differing, "cells not as computed")
        sizes = sum(len(lengths) for lengths, _, _ in self._compared.values())
        results.number("Sizes", sizes, 0, source="sizes compared")


def _sending(mode: str) -> str:
    """The sender without IPsec, and the version of IP over which it sends."""
    way, _, version = mode.partition("-")
    versions = {"": "", "v6": ", IPv6", "4in6": ", IPv4 over a link of IPv6"}
    return f"{_SENDING[way]}{versions[version]}"
