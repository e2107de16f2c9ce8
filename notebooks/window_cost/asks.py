"""Scenario window-cost: processor time of the receiver by the anti-replay window."""

from remeasure.paper.notebook.asked import Asked, at, joined
from remeasure.paper.notebook.by_instructions import COST, RATE, packets

RECEIVER = ["right"]
DATAGRAMS = packets(("64", "1344"))
"""columns: processor time of a datagram [us]"""
COSTS = DATAGRAMS | {"TCP, megabyte": COST}
OVER: Asked = {"quantity": "ratio", "to": {"window": "32"}}
"""over the time of strongSwan's default window"""
_COLUMNS = dict(zip(("Small", "Large", "Tcp"), COSTS.values(), strict=True))
_WINDOWS = {"Off": "0", "Medium": "128", "Offload": "256", "Wide": "1024", "Widest": "4096"}
NUMBERS = {name: at(cost, window="32") for name, cost in _COLUMNS.items()}
NUMBERS |= {"Rate": at(RATE, window="32")}
NUMBERS |= {
    f"{column}{name}": at(joined(cost, OVER), window=window)
    for name, window in _WINDOWS.items()
    for column, cost in _COLUMNS.items()
}
