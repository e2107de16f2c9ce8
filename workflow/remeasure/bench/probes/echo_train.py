"""Trains of echo requests: when a path that was closed lets packets through, to the millisecond.

An echo that waits in the kernel comes out when the kernel looks at its queue, which Linux does at a
tick of its clock (every 10 ms at 100 Hz), so its time has that grain. No request of a train waits:
one leaves every 0.8 ms, and is answered or lost. The path was open at the first request that is
answered and closed at the one before, so each train gives its own exactness.

The sender sleeps by a high-resolution timer, which a kernel of 100 Hz has, too, and has real-time
priority: without it, a guest's only processor comes back from a negotiating daemon after up to 2
ms. If the host refuses the priority, the grain shows it. A train costs its sender about a tenth of
a processor, so a negotiation takes that much longer than without.

Probe known_wait shows how exactly a train measures a wait of known length. The target answers
nothing at first. It begins to answer a known time after the first request has come, by its own
clock, so no two clocks are compared.
"""

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar

from pydantic import Field

from remeasure.bench.base.topology import HostName
from remeasure.bench.probes.base import Bench, LogError, Probe, match_line, sections, text_lines
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.testbed.tools import PERL, fail_showing, program, wait_until

_SPACING_NS = "800000"
"""time between two requests of a train [ns]"""
LIMIT_S = 10
"""time after which a train ends unanswered [s]"""
_SEND = program("now.pl") + program("send-train.pl")
_TRAIN = re.compile(r"train ([0-9]+)")
_SENT = re.compile(r"sent ([0-9]+) ([0-9]+)")
_ANSWERED = re.compile(r"answered ([0-9]+) ([0-9]+)")

_SWITCH = "/proc/sys/net/ipv4/icmp_echo_ignore_all"
_OUTPUT = "/run/known-wait.out"
_OPEN = program("now.pl") + program("open-path.pl", switch=_SWITCH)
_OPENED = re.compile(r"opened ([0-9]+) ([0-9]+)")


class EchoTrain(Probe):
    """Base of the probes that send trains of echo requests; a kind closes the path in its own
    way."""

    tools: ClassVar = PERL
    meanings: ClassVar = MEANINGS["echo_train"]

    source: HostName
    """host that sends the requests"""
    target: HostName
    """host that answers them"""
    count: int = Field(ge=1, le=10_000)
    """trains in one run"""

    def send(self, bench: Bench, number: int, link: str | None = None) -> str:
        """Send train `number`. Returns its lines of the log; `link` is the common one of source and
        target, if there is one. Raises CommandFailed."""
        ends = [bench.topology.address(host, link) for host in (self.source, self.target)]
        command = ["perl", "-e", _SEND, *ends, _SPACING_NS, str(LIMIT_S)]
        train = bench.remotes[self.source].run(command, timeout=LIMIT_S + 20)
        return f"train {number}\n{train}"

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """Yield the values of each train that was answered."""
        for index, sent, first, line, _ in trains(file, content):
            if first is not None:
                yield Value("wait", (sent[first] - sent[1]) / 1e6, line, index)
                if first > 1:
                    yield Value("grain", (sent[first] - sent[first - 1]) / 1e6, line, index)
                yield Value("requests", first, line, index)

    def require_complete(self, file: str, content: bytes) -> None:
        found = sum(o.metric == "wait" for o in self.parse(file, content))
        if found != self.count:
            raise LogError(file, 1, f"{found} trains answered", f"{self.count}")


Train = tuple[int, dict[int, int], int | None, int, int | None]
"""number; request -> time at which it was sent [ns since the epoch]; the first request that was
answered, if one was; its line; time after which the target was open, if it says so [ns]"""


def trains(file: str, content: bytes) -> Iterator[Train]:
    """Yield the trains of a log. Raises LogError for one without an end."""
    for head, begin, own in sections(file, text_lines(file, content), _TRAIN, "'train <number>'"):
        sent, first, place, pause = dict[int, int](), None, 0, None
        for number, line in enumerate(own, begin):
            if match := _SENT.fullmatch(line):
                sent[int(match[1])] = int(match[2])
            elif match := _ANSWERED.fullmatch(line):
                first, place = int(match[1]), number
            elif line == "unanswered":
                place = number
            else:
                match = match_line(_OPENED, file, number, line, "a line of a train")
                pause = int(match[2]) - int(match[1])
        if not place or (first is not None and first not in sent):
            found = f"{head[0]} of {len(sent)} requests"
            raise LogError(file, begin - 1, found, "requests and an answer, or 'unanswered'")
        yield int(head[1]), sent, first, place, pause


class KnownWait(EchoTrain):
    """Trains of echo requests to a host that answers only after a pause."""

    kind: ClassVar = "known_wait"
    meanings: ClassVar = EchoTrain.meanings | MEANINGS["known_wait"]

    pause_ms: float = Field(ge=0, le=1000)
    """time from the first request to the moment at which the target begins to answer [ms]"""

    def seconds(self) -> float:
        return self.count * (0.3 + self.pause_ms / 1e3)

    def measure(self, bench: Bench, stem: str) -> None:
        target = bench.remotes[self.target]
        source = bench.topology.address(self.source)
        opener = ["perl", "-e", _OPEN, source, str(round(1e6 * self.pause_ms)), str(LIMIT_S)]
        text = ""
        for number in range(1, self.count + 1):
            target.start(opener, _OUTPUT)
            target.run(wait_until(f"grep -q closed {_OUTPUT}", fail_showing(_OUTPUT)))
            text += self.send(bench, number)
            target.run(wait_until(f"grep -q opened {_OUTPUT}", fail_showing(_OUTPUT)))
            text += target.run(["grep", "opened", _OUTPUT])
        bench.save(f"{stem}.log", text)

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        yield from super().read(file, content)
        for index, sent, first, line, pause in trains(file, content):
            if pause is None:
                raise LogError(file, line, "no such line", "'opened <came> <opened>'")
            yield Value("pause", pause / 1e6, line, index)
            if first is not None:
                yield Value("error", (sent[first] - sent[1]) / 1e6 - pause / 1e6, line, index)
