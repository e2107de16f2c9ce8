"""The set-up of an IKE_SA over a lossy path: the model by hand, simulated, and measured."""

import numpy as np
import pandas as pd
import pytest
from frames import frame

from notebooks.key_exchange.reading import (
    SetUpsOfCell,
    cells,
    longer_by,
    p_mean,
    p_slow,
    pooled,
    reading,
)
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.ipsec.authentication_proof import ike_exchanges
from remeasure.paper.analysis.models.authentication_delay import fit_delays, surplus
from remeasure.paper.analysis.models.lossy_set_up import (
    CHARON,
    EXCHANGES,
    HALF_OPEN_S,
    Exchange,
    Message,
    Path,
    SetUp,
    set_up,
)

SMALL = Exchange()
PSK = (SMALL, SMALL)
HYBRID = (SMALL, Exchange(Message(2)), SMALL)
RSA = (SMALL, Exchange(Message(3), Message(3)))
WHOLE = (SMALL, Exchange(Message(1, 3), Message(1, 3)))


def test_timers_are_those_of_strongswan():
    """The table in the documentation of strongSwan: 4, 7, 13, 23, 42 and 76 s; 165 s in all."""
    waits = [CHARON.waited_s(n) for n in range(6)]
    assert waits == pytest.approx([0, 4, 11.2, 24.16, 47.488, 89.4784])
    assert CHARON.gives_up_s == pytest.approx(165.06112)


def test_without_loss_a_set_up_takes_its_round_trips():
    assert set_up(PSK, Path(200, 0)) == SetUp(400, 0, 0, 0, 2)
    assert set_up(HYBRID, Path(200, 0)) == SetUp(600, 0, 0, 0, 4)
    # 6 round trips of 200 ms are slow although nothing is lost.
    assert set_up(PSK * 3, Path(200, 0)).slow == 1


def played(exchange: Exchange, loss: float, random: np.random.Generator) -> tuple[int, int] | None:
    """Repetitions after which the responder has the request and the exchange is complete, datagram
    by datagram; None: it fails."""
    taken = None
    missing_of_request = set(range(exchange.request.datagrams))
    missing_of_response = set(range(exchange.response.datagrams))
    for repeated in range(CHARON.tries + 1):
        kept = random.random(exchange.request.datagrams) >= exchange.request.loss(loss)
        missing_of_request -= set(np.flatnonzero(kept))
        if missing_of_request:
            continue
        taken = repeated if taken is None else taken
        missing_of_request = set(range(exchange.request.datagrams))
        kept = random.random(exchange.response.datagrams) >= exchange.response.loss(loss)
        missing_of_response -= set(np.flatnonzero(kept))
        if not missing_of_response:
            return taken, repeated
    return None


def simulated(exchanges, path: Path, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Delay [ms] (infinite: failed) and datagrams sent of set-ups."""
    random = np.random.default_rng(7)
    delays, sent = np.zeros(count), np.zeros(count)
    for i in range(count):
        half_open = 0.0
        for place, exchange in enumerate(exchanges):
            outcome = played(exchange, path.loss, random)
            if outcome is None:
                delays[i] = np.inf
                break
            taken, repeated = outcome
            sent[i] += exchange.request.datagrams * (1 + repeated)
            delays[i] += 1e3 * CHARON.waited_s(repeated) + path.round_trip
            if place:
                last = place == len(exchanges) - 1
                half_open += CHARON.waited_s(taken if last else repeated) + path.round_trip / 1e3
        if half_open > HALF_OPEN_S:
            delays[i] = np.inf
    return delays, sent


@pytest.mark.parametrize("exchanges", [PSK, HYBRID, RSA, WHOLE])
def test_set_ups_are_simulated(exchanges):
    path, count = Path(200, 0.05), 8_000
    delays, sent = simulated(exchanges, path, count)
    model, done = set_up(exchanges, path), np.isfinite(delays)
    error = 4 / np.sqrt(count)
    assert delays[done].mean() == pytest.approx(model.mean, abs=error * model.deviation)
    assert delays[done].std() == pytest.approx(model.deviation, rel=0.1)
    assert (delays > 1000).mean() == pytest.approx(model.slow, abs=error * 0.5)
    assert (~done).mean() == pytest.approx(model.failed, abs=error * np.sqrt(model.failed))
    assert sent[done].mean() == pytest.approx(model.sent, rel=0.01)


def observed(delays: np.ndarray, sent: np.ndarray, **levels: str) -> pd.DataFrame:
    rows = [
        {"metric": metric, "value": value, "index": index} | levels
        for index, (delay, datagrams) in enumerate(zip(delays, sent, strict=True), 1)
        for metric, value in ([("delay", delay)] if np.isfinite(delay) else [("failed", 1)])
        + [("sent_datagrams", datagrams)]
    ]
    return pd.DataFrame(rows).assign(probe="direct", block=1, trial=1, repeat=1)


@pytest.mark.parametrize("loss", [0.01, 0.05])
def test_intervals_of_few_losses_hold_the_mean_more_often_than_by_the_standard_error(loss):
    """150 set-ups per cell, as in a block of profile quick."""
    path, count, number = Path(200, loss), 150, 600
    waits = 1e3 * np.array([CHARON.waited_s(n) for n in range(CHARON.tries + 1)])
    random = np.random.default_rng(5)
    repeated = random.geometric((1 - loss) ** 2, size=(number, count, 2)) - 1
    delays = 2 * path.round_trip + waits[np.minimum(repeated, CHARON.tries)].sum(axis=2)
    truth = set_up(PSK, path).mean
    found = [SetUpsOfCell(one, 0, 2, ({"network": "x"},), (1,)).mean() for one in delays]
    held = np.mean([e.low <= truth <= e.high for e in found])
    half = 1.96 * delays.std(axis=1, ddof=1) / np.sqrt(count)
    by_error = np.mean(abs(delays.mean(axis=1) - truth) <= half)
    assert by_error < held and 0.935 <= held <= 0.98


def test_the_rules_tell_a_model_that_holds():
    near, far, lossy = Path(50, 0), Path(200, 0), Path(200, 0.05)
    tables, models = [], []
    for name, exchanges in (("x25519", PSK), ("hybrid", HYBRID)):
        for network, path in (("near", near), ("far", far), ("lossy", lossy)):
            delays, sent = simulated(exchanges, path, 300 if path.loss else 3)
            tables.append(observed(delays, sent, exchange=name, network=network))
            models.append(set_up(exchanges, path))
    found = cells(pd.concat(tables), ["exchange", "network"], "direct")
    assert [cell.levels[0]["network"] for cell in found] == ["near", "far", "lossy"] * 2
    pairs = list(zip(found, models, strict=True))
    right = reading(pairs)
    assert right.words() == "the model holds in all cells"
    assert (right.lossless, right.lossy) == (4, 2)
    # The test finds half the loss, and a missing round trip.
    wrong = [*pairs[:5], (found[5], set_up(HYBRID, Path(200, 0.025)))]
    assert reading(wrong).words() == "the model fails with loss"
    wrong = [(found[0], set_up(PSK, Path(52, 0))), *pairs[1:]]
    assert reading(wrong).words() == "the model fails without loss, in 1 of 4 cells"
    assert reading([]).words() == "no cell was measured"


def test_a_failed_set_up_is_slow_and_has_no_delay():
    delays = np.array([100.0, 4100.0, np.inf, 100.0])
    (cell,) = cells(observed(delays, np.array([2, 3, 9, 2]), network="x"), ["network"], "direct")
    assert (cell.count, cell.failed, cell.slow) == (4, 1, 2)
    assert cell.mean().value == pytest.approx(4300 / 3) and cell.sent == pytest.approx(7 / 3)
    share = cell.slow_share()
    # Clopper and Pearson for 2 of 4, from tables.
    assert (share.value, share.low, share.high) == pytest.approx((50, 6.76, 93.24), abs=0.01)
    model = set_up(PSK, Path(50, 0.2))
    assert 0 < p_slow(cell, model) <= 1 and 0 < p_mean(cell, model) <= 1


def test_cells_that_are_alike_are_pooled():
    one, other = (
        cells(observed(np.array(delays), np.full(3, sent), network=name), ["network"], "direct")[0]
        for name, delays, sent in (("a", [100.0, 100, 4100], 2), ("b", [100, np.inf, 200], 4))
    )
    both = pooled([one, other])
    assert (both.count, both.failed, both.slow) == (6, 1, 2)
    assert (both.mean().value, both.sent) == pytest.approx((920, (3 * 2 + 2 * 4) / 5))
    assert [levels["network"] for levels in both.levels] == ["a", "b"]
    found = longer_by(one, other)
    assert found.value == pytest.approx(4300 / 3 - 150)
    halves = [e.high - e.value for e in (one.mean(), other.mean())]
    assert found.high - found.value == pytest.approx(np.hypot(*halves))


def test_messages_are_known_of_every_level_of_the_scenario():
    scenario = load_scenario("key-exchange", "quick")
    assert set(EXCHANGES) == set(scenario.design.factors["exchange"])
    for level, exchanges in EXCHANGES.items():
        tunnel = scenario.settings_where(exchange=level).tunnel
        assert len(exchanges) == ike_exchanges(tunnel), level
        messages = [m for one in exchanges for m in (one.request, one.response)]
        assert exchanges[0] == SMALL, "IKE_SA_INIT is never fragmented by IKE"
        if tunnel.fragmentation:
            assert all(m.packets == 1 for m in messages), level
        else:
            assert all(m.datagrams == 1 for m in messages), level


COMPUTATION = {"psk": (2, 12.0), "md5": (5, 25.0), "tls": (12, 80.0)}


def bench(round_trips: float, noise: float) -> pd.DataFrame:
    random = np.random.default_rng(1)
    rows = [
        (block, method, rtt, n, own + round_trips * n * rtt + noise * random.normal())
        for block in range(6)
        for method, (n, own) in COMPUTATION.items()
        for rtt in (0.0, 10.0, 50.0)
    ]
    return frame("block method rtt exchanges delay", *rows, trial=0)


@pytest.mark.parametrize("round_trips", [1.0, 1.5])
def test_round_trips_and_computation_are_told_apart(round_trips):
    model = fit_delays(bench(round_trips, noise=1), "direct")
    assert model.round_trips.low < round_trips < model.round_trips.high
    assert model.round_trips.high - model.round_trips.low < 0.05
    found = model.computation.set_index("method")
    for method, (_, own) in COMPUTATION.items():
        assert found.loc[method, "low"] < own < found.loc[method, "high"]
        assert {dict(cell)["method"] for cell in found.loc[method, "origin"].cells} == {method}
    assert len(model.round_trips.origin.cells) == 9
    assert model.worst < 3


def test_what_an_exchange_takes_beyond_its_round_trip_is_found():
    table = bench(1.5, noise=0)
    found = surplus(table, 10.0, "direct")
    assert found.value == pytest.approx(5.0) and found.n == 6
    assert len(found.origin.cells) == 6
    missing = table[(table["block"] > 0) | (table["rtt"] != 0)]
    assert surplus(missing, 50.0, "direct").n == 5
