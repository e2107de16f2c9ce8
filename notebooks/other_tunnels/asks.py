"""Scenario other-tunnels: ESP, WireGuard and OpenVPN between the same hosts, by instructions."""

import altair as alt
import pandas as pd

from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, at
from remeasure.paper.notebook.by_instructions import COST, DRAWN, LEVELS, RATE, packets
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

TITLES = {
    "none": "no tunnel",
    "esp-aes128gcm16": "ESP with AES-128-GCM",
    "esp-aes128gcm16-v6": "ESP with AES-128-GCM over IPv6",
    "esp-chacha20poly1305": "ESP with ChaCha20-Poly1305",
    "wireguard": "WireGuard",
    "openvpn-aes128gcm16": "OpenVPN in the kernel with AES-128-GCM",
    "openvpn-chacha20poly1305": "OpenVPN in the kernel with ChaCha20-Poly1305",
    "openvpn-program": "OpenVPN's program with AES-128-GCM",
}
_SHORT = {
    "esp-aes128gcm16": "ESP, AES-GCM",
    "esp-chacha20poly1305": "ESP, ChaCha20",
    "openvpn-aes128gcm16": "OpenVPN, AES-GCM",
    "openvpn-chacha20poly1305": "OpenVPN, ChaCha20",
}
"""tunnel of the figure -> its name there; OpenVPN is the one in the kernel"""
OVER_WIREGUARD: Asked = {**COST, "quantity": "ratio", "to": {"tunnel": "wireguard"}}
PACKETS = packets(("64", "512", "1408"))
_NOT_RANKED = ("none", "openvpn-program", "esp-aes128gcm16-v6")
"""no tunnel, a program with system calls, which are dear in guests, and one of longer headers"""
_ASKED = {
    "Esp": "esp-aes128gcm16",
    "EspChacha": "esp-chacha20poly1305",
    "Openvpn": "openvpn-aes128gcm16",
    "Program": "openvpn-program",
}
NUMBERS = {
    **{
        f"{name}{level.title()}": at(OVER_WIREGUARD, tunnel=tunnel, instructions=level)
        for name, tunnel in _ASKED.items()
        for level in LEVELS
    },
    **{
        f"{name}Rate{level.title()}": at(RATE, tunnel=tunnel, instructions=level)
        for name, tunnel in {**_ASKED, "Wireguard": "wireguard", "Plain": "none"}.items()
        if name != "Program"
        for level in ("none", "all")
    },
}


def chart(notebook: ScenarioNotebook) -> alt.TopLevelMixin:
    """Processor time of the other tunnels of the kernel over WireGuard's, by instructions."""
    return asked.chart(
        notebook,
        notebook.titled("tunnel", _SHORT),
        notebook.titled("instructions", DRAWN),
        common=OVER_WIREGUARD,
        x_title="processor time over WireGuard's",
        faint=pd.DataFrame(columns=["row", "level", "value"]),
        legend="instructions",
        scale=alt.Scale(type="log", nice=False, padding=12),
        ticks=[0.5, 0.7, 1, 1.5, 2, 3],
        rule=1,
    )


def least(notebook: ScenarioNotebook, level: str) -> str:
    """The tunnels in the kernel of which none was shown to cost less at a level, in words."""
    tunnels = [one for one in notebook.measured("tunnel") if one not in _NOT_RANKED]
    found = asked.cheapest(notebook, at(COST, instructions=level), "tunnel", tunnels)
    return " or ".join(map(TITLES.__getitem__, found)) or "too few blocks to tell"


def hand_over(notebook: ScenarioNotebook) -> None:
    """Keep numbers for paper and site."""
    asked.hand_over(notebook, NUMBERS)
    says = "tunnels of the kernel of which none was shown to cost less"
    for level in LEVELS:
        notebook.results.words(f"Best{level.title()}", least(notebook, level), says)
