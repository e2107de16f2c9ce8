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
from remeasure.bench.tryout.answers import TryAnswers
from remeasure.bench.tryout.events import EVENTS, observed
from remeasure.bench.tryout.pair import Pair
from remeasure.bench.tryout.renewals import renewals
from remeasure.bench.tryout.replay import replay
from remeasure.bench.tryout.running_pair import Question, RunningPair, Way
from remeasure.bench.tryout.set_up import set_up
from remeasure.bench.tryout.sizes import sizes

MOMENTS = 3
"""moments at which each event happens"""


def try_pair(
    parts: GuestParts,
    pair: Pair,
    way: Way,
    *,
    guarded: bool = False,
    moments: int = MOMENTS,
    on_progress: Callable[[int, int], None] = lambda done, of: None,
) -> TryAnswers:
    """Answers to all questions; only `set_up` of a tunnel that does not come up or carries no
    traffic. `on_progress` is called with the number of answers,
    and of questions. Raises UserError."""
    questions = _questions(way, moments)
    answers: dict[str, dict[str, Any]] = {}
    needless = Event()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        asked: dict[Future[dict[str, Any]], str] = {
            pool.submit(_ask, (parts, pair, way, guarded, f"try {name}", needless), question): name
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
        found["events"] = [answers.pop(name) for name in questions if name.startswith("event ")]
        found |= answers
    return TryAnswers.model_validate(found)


def _questions(way: Way, moments: int) -> dict[str, Question]:
    """Name of a question -> question: first the one that decides on the others, then those that
    take longest."""
    found: dict[str, Question] = {"set_up": set_up}
    for name in sorted(EVENTS, key=lambda name: -EVENTS[name].lasts_s):
        found[f"event {name}"] = partial(observed, name=name, moments=moments)
    if way.rate_mbit:
        found["replay"] = replay
    return {**found, "renewals": renewals, "sizes": _sizes}


def _sizes(running: RunningPair) -> dict[str, Any]:
    return sizes(running) if running.up() else {}


def _ask(of: tuple[Any, ...], question: Question) -> dict[str, Any]:
    with RunningPair(*of) as running:
        return question(running)
