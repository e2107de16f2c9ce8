"""A host's clock against ours, by asking it the time over SSH.

As NTP has it (RFC 5905, section 8): the answer was made somewhere between question and answer, so
it tells the host's clock to within half of the time that both took, whatever the path.
"""

import shlex
import time
from collections.abc import Sequence
from contextlib import closing

import paramiko

from remeasure.testbed.remote import CONNECT_LIMIT_S, Command, CommandFailed, Remote

# A shell that answers by itself: a process more would be slower than the path. The length of the
# fraction is bash's (EPOCHREALTIME); a locale may have a comma in it.
_ANSWER = ["bash", "-c", "while read -r _; do echo $EPOCHREALTIME; done"]


def ask_clock(
    remote: Remote, times: int, answer: Sequence[str] = _ANSWER
) -> list[tuple[int, int, int]]:
    """(asked, answered, received) of each question, ns since the epoch; `answered` by the clock of
    the host, in steps of a microsecond. `answer` is the command that answers each line with a time.

    Raises CommandFailed if the host does not answer with a time, HostUnreachable.
    """
    answers, start = [], time.time_ns()
    try:
        stdin, stdout, _ = remote.connect().client.exec_command(
            shlex.join(answer), timeout=CONNECT_LIMIT_S
        )
        with closing(stdout.channel):
            for _ in range(times):
                asked = time.time_ns()
                stdin.write("\n")
                stdin.flush()
                line = stdout.readline()
                received = time.time_ns()
                seconds, _, fraction = line.strip().replace(",", ".").partition(".")
                answers.append((asked, int(seconds + fraction) * 1000, received))
    except (paramiko.SSHException, OSError) as error:
        raise CommandFailed(f"{remote.name}: its clock was asked: {error}") from None
    except ValueError:
        raise CommandFailed(
            f"{remote.name}: its clock was asked: found {line!r}, expected "
            "seconds and microseconds (of bash's EPOCHREALTIME)"
        ) from None
    finally:
        remote.on_command(Command(remote.name, list(answer), start, time.time_ns(), None))
    return answers


def clock_offset(answers: list[tuple[int, int, int]]) -> tuple[float, float]:
    """By how much the host's clock is ahead of ours, and how wrong that can be (s): of the question
    that took least."""
    asked, answered, received = min(answers, key=lambda a: a[2] - a[0])
    return (answered - (asked + received) / 2) / 1e9, (received - asked) / 2e9


def offset_of(
    remote: Remote, times: int = 10, answer: Sequence[str] = _ANSWER
) -> tuple[float, float]:
    """`clock_offset` of a host now, to the microsecond. Raises as `ask_clock`."""
    offset, error = clock_offset(ask_clock(remote, times, answer))
    return round(offset, 6), round(error, 6)
