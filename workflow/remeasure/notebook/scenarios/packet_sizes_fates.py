"""Scenario packet-sizes: what became of datagrams with one byte more than what fits."""

from collections.abc import Mapping
from functools import cached_property

import pandas as pd

from remeasure.analysis.models.datagram_fate import fate, in_order
from remeasure.ipsec.tunnel import Tunnel
from remeasure.notebook.scenario_notebook import ScenarioNotebook

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

    def fate(self, suite: str, mode: str, sender: str) -> str:
        """What became of the datagrams of one kind of sender, in words."""
        table = self._observations
        metrics = {f"{sender}_{metric}": metric for metric in _FATE}
        chosen = table[
            (table["suite"] == suite) & (table["mode"] == mode) & table["metric"].isin(metrics)
        ]
        wide = chosen.assign(metric=chosen["metric"].map(metrics)).pivot_table(
            index=["campaign", "block", "index"], columns="metric", values="value", observed=True
        )
        protected = self._tunnels[suite, mode] is not None
        in_blocks = {
            in_order([fate(row, protected) for row in block.to_dict("records")])
            for _, block in wide.groupby(level=["campaign", "block"], observed=True)
        }
        return "; or ".join(sorted(in_blocks))

    @cached_property
    def fates(self) -> pd.DataFrame:
        """Cell and kind of sender, with what became of its datagrams."""
        return pd.DataFrame(
            [
                {"suite": s, "mode": m, "sender": sender, "fate": self.fate(s, m, sender)}
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
