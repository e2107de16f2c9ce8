"""Scenario tunnel-network: ESP, WireGuard and OpenVPN on networks that reorder, lose and fail."""

import pandas as pd

from remeasure.bench.base.family import Families
from remeasure.bench.ipsec import overhead
from remeasure.bench.ipsec.overhead import UDP, packet_on_wire
from remeasure.paper.analysis.models.datagram_fate import as_computed
from remeasure.paper.analysis.texts import number_text
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, at
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.words import words_of

_WORDS = words_of(__file__)
TUNNELS: dict[str, str] = _WORDS["tunnels"]
NETWORKS: dict[str, str] = _WORDS["networks"]
LOST: Asked = {"metric": "up_bulk_loss", "probe": "flow"}
GOODPUT: Asked = {"metric": "goodput", "probe": "tcp"}
SIZES: dict[str, Asked] = _WORDS["sizes"]
_SHORT: dict[str, str] = _WORDS["short"]
_EVENTS: dict[str, Asked] = _WORDS["events"]
_COMPARED: list[str] = _WORDS["compared"]
NUMBERS = {
    **{
        f"{name}Jitter": at(LOST, tunnel=tunnel, network="jitter")
        for name, tunnel in _SHORT.items()
    },
    **{
        f"{name}{event}": at(question, tunnel=_SHORT[name], network="clean")
        for name in _COMPARED
        for event, question in _EVENTS.items()
    },
    "ProgramRoamUp": at(_EVENTS["RoamUp"], tunnel="openvpn-program", network="clean"),
    **{
        f"{name}Largest": at({"metric": "largest"}, tunnel=_SHORT[name], network="clean")
        for name in _COMPARED
    },
}
RESTART: dict[str, Asked] = _WORDS["restart"]
ROAM: dict[str, Asked] = _WORDS["roam"]
CLEAN: Asked = {"at": {"network": "clean"}}
COLD: dict[str, Asked] = _WORDS["cold"]
SIZES_SOURCES = dict.fromkeys(("computed (B)", "sizes not as computed"), overhead.__name__)


def sizes(notebook: ScenarioNotebook, network: str) -> pd.DataFrame:
    """Largest payload of each tunnel on a network, its packet, and the same as computed; and how
    many of the sizes of the sweep left in a packet of another size than computed."""
    rows, found = [], notebook.observations
    found = found[(found["metric"] == "on_wire") & (found["network"] == network)]
    for tunnel in notebook.measured("tunnel"):
        sent = found[found["tunnel"] == tunnel]
        if sent.empty:  # with IP-TFS sizes of packets tell nothing
            continue
        settings = notebook.scenario.settings_where(tunnel=tunnel, network=network)
        family = notebook.scenario.network(settings).family
        cell: Asked = {"at": {"tunnel": tunnel, "network": network}}
        texts = {name: notebook.text(question, cell) for name, question in SIZES.items()}
        largest = round(notebook.estimate(SIZES["largest UDP payload (B)"], cell).value)
        computed = packet_on_wire(settings.tunnel, largest + UDP + family.header, family)
        lengths, families = sent.set_index("index")["value"], Families(family, family)
        _, wrong = as_computed(settings.tunnel, [], lengths, families)
        row = {"tunnel": TUNNELS[tunnel], **texts, "computed (B)": str(computed)}
        rows.append(row | {"sizes not as computed": f"{len(wrong)} of {len(sent)}"})
    return pd.DataFrame(rows, dtype=object)


def hand_over(notebook: ScenarioNotebook) -> None:
    asked.hand_over(notebook, NUMBERS)
    for name in _COMPARED:
        says = f"cold set-up, until the first packet is received, s; {_SHORT[name]}"
        cold = (at(question, tunnel=_SHORT[name], network="clean") for question in COLD.values())
        seconds = sum(notebook.estimate(question).value for question in cold)
        notebook.results.words(f"{name}Cold", number_text(seconds, 2), says)
