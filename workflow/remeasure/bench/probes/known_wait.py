"""How exactly a train of echo requests tells a wait: one whose length is known.

The target answers nothing at first. It begins to a known time after the first request has come, by
its own clock, so no two clocks are compared.
"""

import re
from collections.abc import Iterable
from typing import ClassVar

from pydantic import Field

from remeasure.bench.probes.base import Bench, LogError, text_lines
from remeasure.bench.probes.echo_train import LIMIT_S, NOW, EchoTrain, trains
from remeasure.bench.probes.metrics import Metric, Metrics, Value
from remeasure.bench.testbed.wait import fail_showing, wait_until

_SWITCH = "/proc/sys/net/ipv4/icmp_echo_ignore_all"
_OUTPUT = "/run/known-wait.out"
# Sleeping ends late by what a timer is late; the last two milliseconds are waited out awake.
_OPEN = (
    NOW
    + rf"""
my ($source, $pause, $limit) = @ARGV; my $from = inet_aton $source;
$| = 1; open my $switch, ">", "{_SWITCH}" or die "{_SWITCH}: $!\n";
sub ignore {{ syswrite $switch, "$_[0]\n" or die "{_SWITCH}: $!\n" }}
socket my $icmp, PF_INET, SOCK_RAW, 1 or die "socket: $!\n";
$SIG{{ALRM}} = sub {{ ignore(0); die "no request came\n" }}; alarm $limit;
ignore(1); print "closed\n";
while (1) {{
  my $sender = recv $icmp, my $packet, 256, 0 // die "recv: $!\n";
  my (undef, $address) = unpack_sockaddr_in $sender;
  last if $address eq $from and 8 == ord substr $packet, 4 * (15 & ord $packet);
}}
my $came = now(); my $left = $pause - 2e6;
select undef, undef, undef, $left / 1e9 if $left > 0;
1 while now() < $came + $pause;
ignore(0); print "opened $came ", now(), "\n";
"""
)
_OPENED = re.compile(r"opened ([0-9]+) ([0-9]+)")


class KnownWait(EchoTrain):
    """Trains of echo requests to a host that answers only after a pause."""

    kind: ClassVar = "known_wait"
    others: ClassVar = True  # the target's, which says when it opened
    metrics: ClassVar = Metrics(
        **EchoTrain.metrics,
        pause=Metric("ms", "first request at the target to its first readiness to answer", "time"),
        error=Metric(
            "ms", "`wait` less `pause`: what a train finds too much", "variation", signed=True
        ),
    )

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
        for index, others, sent, first, line in trains(file, text_lines(file, content)):
            match = _OPENED.fullmatch(others[0]) if len(others) == 1 else None
            if match is None:
                raise LogError(file, line, " ".join(others), "'opened <came> <opened>'")
            pause = (int(match[2]) - int(match[1])) / 1e6
            yield Value("pause", pause, line, index)
            if first is not None:
                yield Value("error", (sent[first] - sent[1]) / 1e6 - pause, line, index)
