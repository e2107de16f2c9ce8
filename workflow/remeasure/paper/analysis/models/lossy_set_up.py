"""A model of the set-up of an IKE_SA over a path with a round trip and independent losses.

A set-up is a sequence of exchanges, each a request and its response. An exchange takes one round
trip. After a lost datagram the initiator waits for a timer and sends the whole request again, and
the responder its response. The timers are charon's. Nothing is fitted, and computing takes no time.
`notebooks.key_exchange.reading` compares the model with measurements.

One chance of loss per exchange would not do, so this is a chain of states: fragments that have
arrived are kept, and a repetition need only bring the missing ones. But a responder that has
answered takes a repeated request only when all its fragments have come again (strongSwan,
task_manager_v2.c).
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, prod, sqrt

from remeasure.bench.ipsec.lifecycle import Retransmission

CHARON = Retransmission()
"""how charon repeats a request: strongswan.conf(5), `retransmit_*`, with its defaults"""
HALF_OPEN_S = 30.0
"""time after which a responder forgets an IKE_SA that is not established (strongswan.conf(5),
half_open_timeout) [s]"""
SLOW_MS = 1000.0
"""delay above which a set-up is slow: longer than any loss-free set-up, shorter than any that
waited for a timer [ms]"""


@dataclass(frozen=True)
class Message:
    """How a message travels."""

    datagrams: int = 1
    """number of datagrams: IKE fragments (RFC 7383), or 1"""
    packets: int = 1
    """IP packets of each datagram; with several, IP reassembles within one repetition only"""

    def loss(self, of_packet: float) -> float:
        """Share of its datagrams that are lost, where `of_packet` is the share of lost packets."""
        return 1 - (1 - of_packet) ** self.packets


@dataclass(frozen=True)
class Exchange:
    """A request and its response."""

    request: Message = Message()
    response: Message = Message()


@dataclass(frozen=True)
class Path:
    """The path between both ends."""

    round_trip: float
    """[ms]"""
    loss: float
    """share of packets lost each way, each for itself (0 to 1)"""


@dataclass(frozen=True)
class SetUp:
    mean: float
    """mean delay of set-ups that succeed [ms]"""
    deviation: float
    """standard deviation of that delay [ms]"""
    slow: float
    """share of all set-ups that take longer than SLOW_MS or fail (0 to 1)"""
    failed: float
    """share of all set-ups that fail for good (0 to 1)"""
    sent: float
    """mean number of datagrams that the initiator sends in set-ups that succeed [datagrams]"""


def answered(exchange: Exchange, loss: float, tries: int) -> dict[tuple[int, int], float]:
    """Repetition by which the responder first had the whole request, and repetition by which the
    exchange was complete (0: the first sending) -> share of exchanges."""
    start: _State = (exchange.request.datagrams, exchange.response.datagrams, None)
    states: dict[_State, float] = {start: 1.0}
    done: dict[tuple[int, int], float] = {}
    for repetition in range(tries + 1):
        after: dict[_State, float] = {}
        for state, share in states.items():
            for found, chance in _sent_once(state, exchange, loss, repetition):
                _, still, taken = found
                if not chance:
                    continue
                if still:
                    after[found] = after.get(found, 0.0) + share * chance
                elif taken is not None:
                    key = taken, repetition
                    done[key] = done.get(key, 0.0) + share * chance
        states = after
    return done


def set_up(exchanges: Sequence[Exchange], path: Path, timers: Retransmission = CHARON) -> SetUp:
    """The model of a set-up that makes these exchanges, IKE_SA_INIT first. A responder forgets an
    IKE_SA that is half open, until it has the whole last request. The model counts that time from
    the request of IKE_SA_INIT whose response arrived, though the responder may have had an earlier
    one. With a loss of 5 % each way this concerns fewer than one of a thousand set-ups."""
    cases = list(_cases(exchanges, path, timers))
    succeed = sum(share for share, _, _ in cases)
    mean = sum(share * delay for share, delay, _ in cases) / succeed
    square = sum(share * (delay - mean) ** 2 for share, delay, _ in cases) / succeed
    in_time = sum(share for share, delay, _ in cases if delay <= SLOW_MS)
    sent = sum(share * datagrams for share, _, datagrams in cases) / succeed
    return SetUp(mean, sqrt(square), 1 - in_time, 1 - succeed, sent)


def _cases(
    exchanges: Sequence[Exchange], path: Path, timers: Retransmission
) -> Iterator[tuple[float, float, int]]:
    """Yield share, delay [ms] and datagrams sent of each way in which a set-up succeeds."""
    shares = [answered(exchange, path.loss, timers.tries) for exchange in exchanges]
    # The time at which the responder had the request matters only in the last exchange.
    whole = [*map(_by_end, shares[:-1]), shares[-1]]
    for ways in itertools.product(*(of.items() for of in whole)):
        share = prod(of_way for _, of_way in ways)
        waits = [timers.waited_s(repeated) for (_, repeated), _ in ways]
        (taken, _), _ = ways[-1]
        # The responder is done when it has the whole last request, even if its response is lost.
        half_open = sum(waits[1:-1]) + timers.waited_s(taken) * (len(ways) > 1)
        half_open += (len(exchanges) - 1) * path.round_trip / 1e3
        if share and half_open <= HALF_OPEN_S:
            delay = 1e3 * sum(waits) + len(exchanges) * path.round_trip
            datagrams = sum(
                exchange.request.datagrams * (1 + repeated)
                for exchange, ((_, repeated), _) in zip(exchanges, ways, strict=True)
            )
            yield share, delay, datagrams


def _by_end(shares: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """Shares by only the repetition by which the exchange was complete."""
    found: dict[tuple[int, int], float] = {}
    for (_, end), share in shares.items():
        found[end, end] = found.get((end, end), 0.0) + share
    return found


_State = tuple[int, int, int | None]
"""missing datagrams of request and of response, and the repetition by which the responder first had
the whole request (None: never)"""


def _sent_once(
    state: _State, exchange: Exchange, loss: float, repetition: int
) -> Iterator[tuple[_State, float]]:
    """Yield each state after one more sending of the request, with its chance."""
    out, back, taken = state
    for left, chance in enumerate(_missing(out, exchange.request.loss(loss))):
        if left:
            yield (left, back, taken), chance
            continue
        first = repetition if taken is None else taken
        for still, returned in enumerate(_missing(back, exchange.response.loss(loss))):
            yield (exchange.request.datagrams, still, first), chance * returned


def _missing(datagrams: int, loss: float) -> list[float]:
    """Chance that 0, 1, ... of so many datagrams are lost."""
    return [
        comb(datagrams, lost) * loss**lost * (1 - loss) ** (datagrams - lost)
        for lost in range(datagrams + 1)
    ]


_SMALL = Exchange()
_KEY = Exchange(Message(2), Message())
"""IKE_INTERMEDIATE with ML-KEM-768: its public key and the header exceed one fragment of 1280
bytes"""
_CHAINS = Exchange(Message(3), Message(3))
"""IKE_AUTH with chains of four RSA certificates: all but the root are sent"""
_CHAINS_WHOLE = Exchange(Message(1, 3), Message(1, 3))
"""certificates without IKE fragmentation: one datagram, in three IP packets"""
EXCHANGES = {
    **dict.fromkeys(("x25519", "ecp256", "ecp384", "modp2048"), (_SMALL, _SMALL)),
    **dict.fromkeys(("modp4096", "mlkem768"), (_SMALL, _SMALL)),
    "x25519-mlkem768": (_SMALL, _KEY, _SMALL),
    # Without IKE fragmentation the key fits a packet of 1500 bytes.
    "x25519-mlkem768-whole": (_SMALL, _SMALL, _SMALL),
    "rsa-x25519": (_SMALL, _CHAINS),
    "rsa-x25519-whole": (_SMALL, _CHAINS_WHOLE),
    "rsa-x25519-mlkem768": (_SMALL, _KEY, _CHAINS),
    "rsa-x25519-mlkem768-whole": (_SMALL, _SMALL, _CHAINS_WHOLE),
}
"""level of factor exchange -> how its messages travel, IKE_SA_INIT first"""
