"""Trains of echo requests: when a path that was closed lets packets through, to the millisecond.

An echo that waits in the kernel comes out when the kernel looks at its queue, which Linux does at a
tick of its clock (every 10 ms at 100 Hz), so its time has that grain. No request of a train waits:
one leaves every 0.8 ms, and is answered or lost. The path was open at the first request that is
answered and closed at the one before, so each train tells how exact it is.

The sender sleeps by a high-resolution timer, which a kernel of 100 Hz has, too, and has real-time
priority: without it, a guest's only processor comes back from a negotiating daemon after up to 2
ms. Where the host refuses the priority, the grain shows it. A train costs the host that sends it
about a tenth of a processor, so a negotiation takes that much longer than without.
"""

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar

from pydantic import Field

from remeasure.bench.base.topology import HostName
from remeasure.bench.probes.base import Bench, LogError, Probe, text_lines
from remeasure.bench.probes.metrics import Metric, Metrics, Value
from remeasure.bench.testbed.tools import Tool

LIMIT_S = 10
"""time after which a train ends unanswered [s]"""
# System calls by their numbers: the Perl of a minimal Debian has no Time::HiRes.
NOW = r"""
use strict; use POSIX (); use Socket;
my %calls = (x86_64 => [228, 144], aarch64 => [113, 119]);
my ($clock_gettime, $sched_setscheduler) = @{$calls{(POSIX::uname())[4]}
  // die "clock_gettime: unknown architecture\n"};
sub now { my $t = pack "q2", 0, 0; syscall $clock_gettime, 0, $t;
  my ($s, $ns) = unpack "q2", $t; $s * 1_000_000_000 + $ns }
"""
# SCHED_FIFO is 1. Little is done between two requests: all of it delays the daemon.
_SEND = (
    NOW
    + r"""
my ($source, $target, $spacing, $limit) = @ARGV;
socket my $icmp, PF_INET, SOCK_RAW, 1 or die "socket: $!\n";
bind $icmp, pack_sockaddr_in 0, inet_aton $source or die "$source: $!\n";
my $to = pack_sockaddr_in 0, inet_aton $target;
my $id = $$ & 0xffff; my $mask = ""; vec($mask, fileno $icmp, 1) = 1;
my $priority = pack "i", 1; syscall $sched_setscheduler, 0, 1, $priority;
my (@sent, $answered);
my $next = now(); my $end = $next + $limit * 1e9;
while (!$answered and $next < $end and @sent < 65535) {
  my $seq = @sent + 1; my $sum = 0x0800 + $id + $seq;
  $sum = ($sum & 0xffff) + ($sum >> 16) while $sum >> 16;
  my $at = now(); push @sent, $at;
  send $icmp, pack("C2 n3", 8, 0, ~$sum & 0xffff, $id, $seq), 0, $to;
  $next += $spacing; $next = $at if $next < $at;
  while ($at <= $next and select(my $ready = $mask, undef, undef, ($next - $at) / 1e9) > 0) {
    defined recv $icmp, my $packet, 256, MSG_DONTWAIT or last;
    my ($type, undef, undef, $whose, $which) =
      unpack "C2 n3", substr $packet, 4 * (15 & ord $packet);
    $at = now(); next if $type != 0 or $whose != $id;
    $answered = "answered $which $at\n"; last;
  }
}
print map { "sent " . ($_ + 1) . " $sent[$_]\n" } 0 .. $#sent;
print $answered // "unanswered\n";
"""
)
_TRAIN = re.compile(r"train ([0-9]+)")
_SENT = re.compile(r"sent ([0-9]+) ([0-9]+)")
_ANSWERED = re.compile(r"answered ([0-9]+) ([0-9]+)")


class EchoTrain(Probe):
    """Base of the probes that send trains of echo requests; a kind says what closes the path."""

    tools: ClassVar = {"perl": Tool(["perl", "-e", "print $^V"], "perl")}
    metrics: ClassVar = Metrics(
        wait=Metric(
            "ms",
            "first request of a train to the first answered one (index, here and in all metrics of "
            "the probe: number of the train, from 1)",
            "delay",
        ),
        grain=Metric(
            "ms",
            "request before the first one that was answered to that one: `wait` is too long by at "
            "most this",
            "variation",
        ),
        requests=Metric("requests", "requests up to the first one that was answered", "count"),
    )

    others: ClassVar[bool] = False
    """True if another program writes to the log, too"""

    source: HostName
    """host that sends the requests"""
    target: HostName
    """host that answers them"""
    count: int = Field(ge=1, le=10_000)
    """trains in one run"""
    spacing: float = Field(0.8, ge=0.1, le=60)
    """time between two requests of a train [ms]"""

    def send(self, bench: Bench, number: int, link: str | None = None) -> str:
        """Send train `number`. Returns its lines of the log; `link` is the one that source and
        target have in common, if they have one. Raises CommandFailed."""
        train = bench.remotes[self.source].run(
            [
                "perl",
                "-e",
                _SEND,
                bench.topology.address(self.source, link),
                bench.topology.address(self.target, link),
                str(round(1e6 * self.spacing)),
                str(LIMIT_S),
            ],
            timeout=LIMIT_S + 20,
        )
        return f"train {number}\n{train}"

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """Yield the values of each train that was answered."""
        for index, others, sent, first, line in trains(file, text_lines(file, content)):
            if others and not cls.others:
                raise LogError(file, line, " ".join(others), "no line of another program")
            if first is None:
                continue
            yield Value("wait", (sent[first] - sent[1]) / 1e6, line, index)
            if first > 1:
                yield Value("grain", (sent[first] - sent[first - 1]) / 1e6, line, index)
            yield Value("requests", first, line, index)

    def require_complete(self, file: str, content: bytes) -> None:
        found = sum(o.metric == "wait" for o in self.parse(file, content))
        if found != self.count:
            raise LogError(file, 1, f"{found} trains answered", f"{self.count}")


Train = tuple[int, list[str], dict[int, int], int | None, int]
"""number; lines that other programs wrote; request -> time at which it was sent [ns since the
epoch]; the first request that was answered; line that says so"""


def trains(file: str, lines: list[str]) -> Iterator[Train]:
    """Yield the trains of a log. Raises LogError, also for requests and times out of order."""
    train: Train | None = None
    ended = True
    for number, line in enumerate(lines, 1):
        if match := _TRAIN.fullmatch(line):
            if train:
                yield _whole(file, train, ended)
            expected = train[0] + 1 if train else 1
            if int(match[1]) != expected:
                raise LogError(file, number, line, f"train {expected}")
            train, ended = (int(match[1]), [], {}, None, number), False
        elif train is None:
            raise LogError(file, number, line, "'train <number>'")
        elif match := _SENT.fullmatch(line):
            _take_request(file, number, train[2], int(match[1]), int(match[2]), ended)
        elif match := _ANSWERED.fullmatch(line):
            request = int(match[1])
            _check_answer(file, number, line, train[2], request, int(match[2]), ended)
            train, ended = (*train[:3], request, number), True
        elif line == "unanswered" and not ended:
            ended = True
        else:
            train[1].append(line)
    if train:
        yield _whole(file, train, ended)


def _take_request(
    file: str, number: int, sent: dict[int, int], request: int, at: int, ended: bool
) -> None:
    if request != len(sent) + 1 or ended:
        raise LogError(file, number, f"request {request}", f"request {len(sent) + 1}, then an end")
    if sent and at < sent[request - 1]:
        raise LogError(file, number, f"request {request} at {at}", "one behind the request before")
    sent[request] = at


def _check_answer(
    file: str, number: int, line: str, sent: dict[int, int], request: int, at: int, ended: bool
) -> None:
    if request not in sent or ended:
        raise LogError(file, number, line, f"a request from 1 to {len(sent)}, and one answer")
    if at < sent[len(sent)]:
        raise LogError(file, number, line, "an answer behind the last request")


def _whole(file: str, train: Train, ended: bool) -> Train:
    if not ended or not train[2]:
        found = f"train {train[0]} of {len(train[2])} requests"
        raise LogError(file, train[4], found, "requests and an answer, or 'unanswered'")
    return train
