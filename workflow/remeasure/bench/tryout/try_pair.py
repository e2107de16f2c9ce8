"""All questions to a pair of configurations, each in a guest of its own, on all cores there are."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from functools import partial
from threading import Event
from typing import Any

from remeasure.bench.lab.virtual.guest import GuestParts
from remeasure.bench.tryout.pair import Pair
from remeasure.bench.tryout.renewals import renewals
from remeasure.bench.tryout.replay import replay
from remeasure.bench.tryout.running_pair import RunningPair, TryQuestion, Way
from remeasure.bench.tryout.set_up import set_up
from remeasure.bench.tryout.try_answers import TryAnswers
from remeasure.bench.tryout.try_events import EVENTS, observed, places_of
from remeasure.bench.tryout.try_sizes import sizes

MOMENTS = 3
"""moments at which each event happens"""


@dataclasses.dataclass(frozen=True)
class TryKind:
    """A kind of tunnel: how it runs, the questions that are its own, and names of events."""

    running: type[RunningPair] = RunningPair
    set_up: TryQuestion = set_up
    renewals: TryQuestion = renewals
    events: tuple[str, ...] = tuple(EVENTS)


STRONGSWAN = TryKind()


def try_pair(
    parts: GuestParts,
    pair: Pair,
    way: Way,
    *,
    kind: TryKind = STRONGSWAN,
    guarded: bool = False,
    moments: int = MOMENTS,
    on_progress: Callable[[int, int], None] = lambda done, of: None,
) -> TryAnswers:
    """Answers to all questions; only `set_up` of a tunnel that does not come up or carries no
    traffic. `on_progress` is called with the number of answers, and of questions. Raises
    UserError."""
    questions = _questions(kind, pair, way, moments)
    answers: dict[str, dict[str, Any]] = {}
    needless = Event()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        asked: dict[Future[dict[str, Any]], str] = {
            pool.submit(
                _ask, kind, (parts, pair, way, guarded, f"try {name}", needless), question
            ): name
            for name, question in questions.items()
        }
        try:
            for future in as_completed(asked):
                answers[asked[future]] = future.result()
                on_progress(len(answers), len(asked))
                if not answers.get("set_up", {"answered": True}).get("answered"):
                    break
        finally:
            needless.set()
            pool.shutdown(cancel_futures=True)
    up = answers.pop("set_up")
    found: dict[str, Any] = {"set_up": up, "versions": up.pop("versions")}
    found |= {"way": dataclasses.asdict(way), "guarded": guarded}
    if up.get("answered"):
        found |= {name: up.pop(name) for name in ("sizes", "renewals")}
        found["events"] = [answers.pop(name) for name in questions if name.startswith("event ")]
        found |= answers
    return TryAnswers.model_validate(found)


def _questions(kind: TryKind, pair: Pair, way: Way, moments: int) -> dict[str, TryQuestion]:
    """Name of a question -> question: first the one that decides on the others, then those that
    take longest."""
    found: dict[str, TryQuestion] = {"set_up": partial(_first, kind)}
    events = (name for name in kind.events if places_of(pair, name))
    for name in sorted(events, key=lambda name: -EVENTS[name].lasts_s):
        found[f"event {name}"] = partial(observed, name=name, moments=moments)
    if way.rate_mbit:
        found["replay"] = replay
    return found


def _first(kind: TryKind, running: RunningPair) -> dict[str, Any]:
    """Set-up and, if traffic passes, sizes that fit and renewals."""
    found = kind.set_up(running)
    if found.get("answered"):
        found |= {"sizes": sizes(running), "renewals": kind.renewals(running)}
    return found


def _ask(kind: TryKind, of: tuple[Any, ...], question: TryQuestion) -> dict[str, Any]:
    with kind.running(*of) as running:
        return question(running)
