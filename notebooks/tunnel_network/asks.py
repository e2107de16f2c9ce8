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

TUNNELS = {
    "esp-32": "ESP, window 32",
    "esp-4096": "ESP, window 4096",
    "esp-iptfs": "ESP with IP-TFS, window 4096",
    "wireguard": "WireGuard, window 8129",
    "openvpn": "OpenVPN in the kernel, window 2048",
    "openvpn-program": "OpenVPN's program, window 64",
}
"""tunnel -> its name, with its anti-replay window [packets]"""
NETWORKS = {
    "loss": "1 % loss",
    "jitter": "jitter, 2 ms",
    "priority": "QoS behind the tunnel",
    "paths": "two paths, 10 ms apart",
}
LOST: Asked = {"metric": "up_bulk_loss", "probe": "flow"}
GOODPUT: Asked = {"metric": "goodput", "probe": "tcp"}
SIZES: dict[str, Asked] = {
    "largest UDP payload (B)": {"metric": "largest"},
    "its packet on the wire (B)": {"metric": "largest_wire"},
}
_SHORT = {
    "Esp": "esp-32",
    "Wide": "esp-4096",
    "Iptfs": "esp-iptfs",
    "Wireguard": "wireguard",
    "Openvpn": "openvpn",
    "Program": "openvpn-program",
}
_GAP: Asked = {"probe": "restart", "scale": 0.001, "unit": "s"}
_LOST: Asked = {"probe": "roam", "scale": 0.01, "unit": "s"}
"""at 100 datagrams per second, n lost ones are n/100 seconds of traffic"""
_EVENTS: dict[str, Asked] = {
    "RestartUp": {"metric": "up_bulk_gap", **_GAP},
    "RestartClear": {"metric": "responder_clear_time", "probe": "restart"},
    "RoamUp": {"metric": "up_bulk_lost", **_LOST},
}
"""part of the name of a number -> question about an event"""
_COMPARED = ("Esp", "Wireguard", "Openvpn")
"""tunnels whose set-up, sizes and events texts compare"""
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
RESTART: dict[str, Asked] = {
    "towards the other end (s)": _EVENTS["RestartUp"],
    "from the other end (s)": {"metric": "down_bulk_gap", **_GAP},
    "leaked, at the end that restarts (s)": _EVENTS["RestartClear"],
    "leaked, at the other end (s)": {"metric": "initiator_clear_time", "probe": "restart"},
}
ROAM: dict[str, Asked] = {
    "from the end that moves (s)": _EVENTS["RoamUp"],
    "towards it (s)": {"metric": "down_bulk_lost", **_LOST},
}
CLEAN: Asked = {"at": {"network": "clean"}}
COLD: dict[str, Asked] = {
    "until both ends are ready (s)": {"metric": "event_took", "probe": "cold"},
    "first packet, sent to received (s)": {"metric": "up_wait", "probe": "cold"},
}
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
    """Keep numbers for paper and site."""
    asked.hand_over(notebook, NUMBERS)
    for name in _COMPARED:
        says = f"cold set-up, until the first packet is received, s; {_SHORT[name]}"
        cold = (at(question, tunnel=_SHORT[name], network="clean") for question in COLD.values())
        seconds = sum(notebook.estimate(question).value for question in cold)
        notebook.results.words(f"{name}Cold", number_text(seconds, 2), says)
