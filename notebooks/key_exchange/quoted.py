"""Scenario key-exchange: the numbers of its answer."""

from notebooks.key_exchange.asks import KeyExchange, whole
from remeasure.paper.analysis.estimates import NOTHING
from remeasure.paper.analysis.models.lossy_set_up import Timers
from remeasure.paper.analysis.texts import NO_NUMBER, number_text
from remeasure.paper.analysis.texts import estimate_text as text

_MODEL = "analysis.models.lossy_set_up"
_SAID = {"Short": "x25519", "Hybrid": "x25519-mlkem768", "Alone": "mlkem768"}
"""part of a number's name -> level of factor exchange"""
_CHAINS = {"RsaShort": "rsa-x25519", "RsaHybrid": "rsa-x25519-mlkem768"}
FASTER = 1.0
"""retransmit_timeout that the answer compares with the default [s]"""


def quote(trials: KeyExchange) -> None:
    """Hand over the numbers of the answer."""
    _without_loss(trials)
    _with_loss(trials)
    _model(trials)


def _without_loss(trials: KeyExchange) -> None:
    results, far = trials.notebook.results, trials.far
    rtt = f"{trials.paths[far].round_trip:g}" if far else NO_NUMBER
    results.words("FarRtt", rtt, "the scenario, ms")
    for name, exchange in _SAID.items():
        results.words(f"{name}Far", whole(trials.mean(exchange, far)))
    for name, exchange in {"Short": "x25519", "Hybrid": "x25519-mlkem768"}.items():
        for what in ("exchanges", "datagrams"):
            found = trials.count(exchange, what, far)
            results.words(f"{name}{what.capitalize()}", whole(found))
    for name, exchange in (*_SAID.items(), ("Largest", "modp4096")):
        found = trials.count(exchange, "bytes of IKE", far)
        results.words(f"{name}Bytes", whole(found))


def _with_loss(trials: KeyExchange) -> None:
    results, worst = trials.notebook.results, trials.worst
    loss = f"{100 * trials.paths[worst].loss:g}" if worst else NO_NUMBER
    results.words("Loss", loss, "the scenario, % each way")
    alike = trials.alike(worst)
    mean, slow = (alike.mean(), alike.slow_share()) if alike else (NOTHING, NOTHING)
    results.words("ShortLossy", text(mean))
    results.words("ShortSlow", text(slow))
    results.words("HybridLossy", text(trials.mean("x25519-mlkem768", worst)))
    results.words("HybridSlow", text(trials.slow("x25519-mlkem768", worst)))
    results.words("HybridLonger", text(trials.hybrid_longer(worst)))
    for name, exchange in _CHAINS.items():
        results.words(f"{name}Lossy", text(trials.mean(exchange, worst)))
    counted = [trials.cells[where] for where in trials.cells if where[1] in trials.lossy]
    says = "set-ups over lossy paths"
    results.number("SetUps", sum(c.count for c in counted), 0, source=says)
    failed = sum(cell.failed for cell in counted)
    results.count("Failed", failed, f"{says} that charon gave up")
    expected = sum(
        trials.cells[where].count * trials.model(*where).failed
        for where in trials.cells
        if where[1] in trials.lossy
    )
    says = f"{_MODEL}: number of these set-ups that should fail"
    results.number("FailedModel", expected, 1, source=says)


def _model(trials: KeyExchange) -> None:
    results, worst = trials.notebook.results, trials.worst
    timers = Timers()
    for name, value, digits, source in (
        ("FirstWait", timers.timeout, 0, "strongswan.conf(5), retransmit_timeout, s"),
        ("GivenUp", timers.given_up(), 0, f"{_MODEL}: time until charon gives up, s"),
        ("Faster", FASTER, 0, "value of retransmit_timeout asked of the model, s"),
    ):
        results.number(name, value, digits, source=source)
    for name, exchange in {"Short": "x25519", "Hybrid": "x25519-mlkem768"}.items():
        says = f"{_MODEL}, retransmit_timeout of {FASTER:g} s: mean, ms"
        shorter = Timers(timeout=FASTER)
        found = number_text(trials.model(exchange, worst, shorter).mean) if worst else NO_NUMBER
        results.words(f"{name}Faster", found, says)
    results.words("Reading", trials.reading.words(), "analysis.models.key_exchange_reading")
    says = "cells that were compared with the model"
    cells = trials.reading.lossless + trials.reading.lossy
    results.number("Cells", cells, 0, source=says)
