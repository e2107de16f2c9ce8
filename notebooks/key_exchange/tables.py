"""Scenario key-exchange: its tables."""

import pandas as pd

from notebooks.key_exchange.asks import COUNTS, NAMES, KeyExchange, whole
from remeasure.paper.analysis.lineage import Quoted
from remeasure.paper.analysis.models.key_exchange_messages import EXCHANGES
from remeasure.paper.analysis.models.lossy_set_up import Timers
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.analysis.texts import fixed, number_text

TIMEOUTS = (4.0, 2.0, 1.0, 0.5)
"""values of retransmit_timeout for which the model is asked, the default first [s]"""


def messages(trials: KeyExchange) -> pd.DataFrame:
    """What each exchange sends and how long it takes, without loss."""
    rows = []
    for exchange in trials.exchanges:
        row: dict[str, str] = {"key exchange": NAMES[exchange]}
        row |= {what: whole(trials.count(exchange, what, trials.far)) for what in COUNTS}
        for network in trials.clean:
            round_trip = f"{trials.paths[network].round_trip:g}"
            found = trials.mean(exchange, network)
            row[f"set-up at {round_trip} ms"] = Quoted(fixed(found.value, 2), [found.origin])
        rows.append(row)
    return pd.DataFrame(rows, dtype=object)


def losses(trials: KeyExchange) -> pd.DataFrame:
    """Set-ups over lossy paths, measured and by the model."""
    rows = [
        _lossy_row(trials, exchange, network)
        for network in trials.lossy
        for exchange in trials.exchanges
        if (exchange, network) in trials.cells
    ]
    return pd.DataFrame(rows, dtype=object)


def _lossy_row(trials: KeyExchange, exchange: str, network: str) -> dict[str, str]:
    cell, path = trials.cells[exchange, network], trials.paths[network]
    model = trials.model(exchange, network)
    return {
        "round trip, loss": f"{path.round_trip:g} ms, {100 * path.loss:g} %",
        "key exchange": NAMES[exchange],
        "set-ups": str(cell.count),
        "failed": str(cell.failed),
        "mean, ms": text(cell.mean()),
        "model, ms": number_text(model.mean, 4),
        "over 1 s, %": text(cell.slow_share()),
        "model, %": number_text(100 * model.slow),
        "datagrams sent": fixed(cell.sent, 2),
        "model": fixed(model.sent, 2),
    }


def shapes(trials: KeyExchange) -> pd.DataFrame:
    """Datagrams and IP packets that the model assumes, and that were counted without loss."""
    rows = []
    for exchange in trials.exchanges:
        messages = [m for one in EXCHANGES[exchange] for m in (one.request, one.response)]
        row: dict[str, str] = {"key exchange": NAMES[exchange]}
        for what, assumed in (
            ("datagrams", sum(m.datagrams for m in messages)),
            ("IP packets", sum(m.datagrams * m.packets for m in messages)),
        ):
            row |= {
                f"{what}, model": str(assumed),
                f"{what}, counted": whole(trials.count(exchange, what, trials.far)),
            }
        rows.append(row)
    return pd.DataFrame(rows, dtype=object)


def timeouts(trials: KeyExchange, network: str) -> pd.DataFrame:
    """What the model says of other values of retransmit_timeout; no rows without a lossy path."""
    rows = []
    for timeout in TIMEOUTS if network else ():
        row = {"retransmit_timeout, s": f"{timeout:g}"}
        for exchange in ("x25519", "x25519-mlkem768"):
            found = trials.model(exchange, network, Timers(timeout=timeout))
            row |= {
                f"{NAMES[exchange]}: mean, ms": number_text(found.mean, 4),
                "gives up after, s": number_text(Timers(timeout=timeout).given_up()),
            }
        rows.append(row)
    return pd.DataFrame(rows, dtype=object)


def fragments_in_words(trials: KeyExchange) -> str:
    """What the model says of fragmentation over the worst path, in words; empty without one."""
    if not trials.worst:
        return ""
    path = trials.paths[trials.worst]
    said = []
    for level in ("x25519-mlkem768", "rsa-x25519"):
        cut, uncut = (trials.model(one, trials.worst).mean for one in (level, f"{level}-whole"))
        said.append(f"{NAMES[level]}: {cut:.0f} ms with fragmentation, {uncut:.0f} ms without")
    where = f"{path.round_trip:g} ms and {100 * path.loss:g} % loss"
    return (
        f"By the model, at {where}: {'; '.join(said)}. Fragments are one packet more where the "
        "message would fit one. Where IP would cut it anyway, they save repetitions."
    )
