"""Scenario key-exchange-cost: processor time and time of a set-up, by key exchange."""

from remeasure.paper.notebook.asked import Asked, AskedColumn, at, joined

LEAST = "x25519"
"""the group with which others are compared: strongSwan's first choice"""
OVER_LEAST: Asked = {"quantity": "ratio", "to": {"exchange": LEAST}}
DELAY: Asked = {"probe": "direct", "metric": "delay"}
LONGER: Asked = {**DELAY, "quantity": "difference", "to": {"exchange": LEAST}}
ENDS: dict[str, Asked] = {"initiator": {"metric": "left_cpu"}, "responder": {"metric": "right_cpu"}}
COLUMNS: dict[str, AskedColumn] = {
    **{f"{end}, ms": question for end, question in ENDS.items()},
    "set-up, ms": DELAY,
    **{f"{end}, of {LEAST}": joined(question, OVER_LEAST) for end, question in ENDS.items()},
}
_COST = ENDS["responder"]
"""processor time at the responder, which cannot choose when it computes"""
_QUOTED = {
    "X": LEAST, "Ecp": "ecp256", "EcpLong": "ecp384", "Modp": "modp2048", "ModpLong": "modp4096",
    "Mlkem": "mlkem768", "Hybrid": "x25519-mlkem768",
}  # fmt: skip
NUMBERS = {
    **{f"{name}Cost": at(_COST, exchange=level) for name, level in _QUOTED.items()},
    **{f"{name}Time": at(DELAY, exchange=_QUOTED[name]) for name in ("X", "Hybrid", "ModpLong")},
    **{
        f"{name}Times": at({**_COST, **OVER_LEAST}, exchange=level)
        for name, level in _QUOTED.items()
        if level != LEAST
    },
}
