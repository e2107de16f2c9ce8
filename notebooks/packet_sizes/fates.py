"""Scenario packet-sizes: what became of datagrams with one byte more than what fits."""

from collections.abc import Mapping
from functools import cached_property

import pandas as pd

from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.paper.analysis.models.datagram_fate import fate, in_order
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

SENDERS = {"dont": "DF not set", "want": "Linux's default", "do": "DF demanded"}
"""kind of sender -> its label"""
_FATE = ("arrived", "refused", "packets", "fragments")
_SENDING = {"tunnel": "a host behind the gateway sends", "transport": "the gateway sends"}


class Fates:
    """The datagrams with one byte more, by cell and kind of sender."""

    def __init__(
        self, notebook: ScenarioNotebook, tunnels: Mapping[tuple[str, str], Tunnel | None]
    ):
        """`tunnels`: level of suite and mode of each cell that was measured -> its tunnel."""
        self._observations, self._tunnels = notebook.observations, tunnels

    @cached_property
    def _found(self) -> dict[tuple[str, str, str], str]:
        """Suite, mode and kind of sender -> what became of the datagrams, in words."""
        told = {f"{sender}_{metric}": (sender, metric) for sender in SENDERS for metric in _FATE}
        table = self._observations[self._observations["metric"].isin(told)]
        cell, block = ["suite", "mode", "sender"], ["campaign", "block"]
        senders, metrics = ([told[one][i] for one in table["metric"]] for i in (0, 1))
        wide = table.assign(sender=senders, metric=metrics).pivot_table(
            index=[*cell, *block, "index"], columns="metric", values="value", observed=True
        )
        found: dict[tuple[str, str, str], set[str]] = {}
        for (suite, mode, sender, *_), of_block in wide.groupby(level=[*cell, *block]):
            protected = self._tunnels[suite, mode] is not None
            fates = [fate(row, protected) for row in of_block.to_dict("records")]
            found.setdefault((suite, mode, sender), set()).add(in_order(fates))
        return {key: "; or ".join(sorted(in_blocks)) for key, in_blocks in found.items()}

    @cached_property
    def fates(self) -> pd.DataFrame:
        """Cell and kind of sender, with what became of its datagrams."""
        return pd.DataFrame(
            [
                {
                    "suite": s,
                    "mode": m,
                    "sender": sender,
                    "fate": self._found.get((s, m, sender), ""),
                }
                for s, m in self._tunnels
                for sender in SENDERS
            ]
        )

    def by_mode(self) -> pd.DataFrame:
        """What became of four datagrams, by mode and sender, with the number of cells."""
        table = self.fates.assign(
            mode=[
                mode if self._tunnels[suite, mode] else f"none, {_SENDING[mode]}"
                for suite, mode in zip(self.fates["suite"], self.fates["mode"], strict=True)
            ],
            sender=self.fates["sender"].map(SENDERS),
        )
        groups = table.groupby(["mode", "sender", "fate"], sort=False)
        return groups.size().rename("cells").reset_index()

    def only_fate(self, mode: str, sender: str) -> str:
        """The fate that all cells of a mode with IPsec share; 'not the same in all cells' if they
        share none."""
        chosen = self.fates[(self.fates["mode"] == mode) & (self.fates["sender"] == sender)]
        found = {
            fate
            for suite, fate in zip(chosen["suite"], chosen["fate"], strict=True)
            if self._tunnels[suite, mode]
        }
        return found.pop() if len(found) == 1 else "not the same in all cells"
