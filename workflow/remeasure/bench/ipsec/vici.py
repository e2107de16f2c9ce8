"""Requests to charon over its control socket, many from one process. swanctl sends one request and
ends, and a guest takes longer to start it than to negotiate. This script speaks the same protocol
(vici, documented in strongSwan's sources under libcharon/plugins/vici) in Perl, which every Debian
system has. For requests such as rekeying, which a daemon answers before it has finished, its
counters show when all is done (`timed`)."""

from remeasure.bench.testbed.tools import program

LIMIT_S = 120
"""time after which a count that is not complete is given up [s]"""
SOCKET = "/run/charon.vici"
"""which charon makes while it starts; questions are answered once it has started"""
_CONNECT = program("vici-connect.pl").rstrip()
_SCRIPT = program("vici-ask.pl", connect=_CONNECT)
_TIMED = program("vici-timed.pl", connect=_CONNECT)


def ask(count: int, *requests: str) -> list[str]:
    """A command that makes the requests in turn, `count` times, each after the last was answered. A
    request is '<command>,<field>=<value>,...'; one whose command ends with ! must succeed."""
    return ["perl", "-e", _SCRIPT, SOCKET, str(count), *requests]


def timed(
    count: int, batch: int, command: str, names: str = "-=", *fields: str, counter: str = "-"
) -> list[str]:
    """A command that asks `count` times, and prints the time since its beginning [ns] after every
    `batch` requests and, with `counter`, when charon's counter of this name has reached `count`.
    `names` is '<field>=<prefix>', to which each request adds its number, from 0. Every request must
    succeed, except for requests without a name, whose success charon does not report."""
    key, _, prefix = names.partition("=")
    numbers = [str(number) for number in (LIMIT_S, batch, count)]
    words = [SOCKET, *numbers, counter, command, key, prefix, *fields]
    return ["perl", "-e", _TIMED, *words]
