"""The offset of a host's clock from the clock of records (record_clock.py), found by asking the
host for the time over SSH. As in NTP (RFC 5905, section 8), the host read its clock at some moment
between our question and the arrival of its answer. The offset is therefore known to within half of
that time, whatever the path."""

import shlex
from contextlib import closing

from remeasure.bench.testbed.login import CONNECT_LIMIT_S
from remeasure.bench.testbed.record_clock import now_ns
from remeasure.bench.testbed.remote import Command, CommandFailed, Remote

# bash answers by itself, because starting another process would take longer than the path. Its
# EPOCHREALTIME has six decimals; some locales write a comma before them.
_ANSWER = ["bash", "-c", "while read -r _; do echo $EPOCHREALTIME; done"]


def ask_clock(remote: Remote, times: int) -> list[tuple[int, int, int]]:
    """Ask a host for the time. Returns (asked, answered, received) for each question [ns since the
    epoch]. `answered` is the time on the host's clock, in steps of a microsecond. Raises
    CommandFailed if the host does not answer with a time, HostUnreachable if there is no
    connection."""
    import paramiko

    answers, start = [], now_ns()
    try:
        stdin, stdout, _ = remote.connect().client.exec_command(
            shlex.join(_ANSWER), timeout=CONNECT_LIMIT_S
        )
        with closing(stdout.channel):
            for _ in range(times):
                asked = now_ns()
                stdin.write("\n")
                stdin.flush()
                line = stdout.readline()
                received = now_ns()
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
        remote.on_command(Command(remote.name, _ANSWER, start, now_ns(), None))
    return answers


def clock_offset(answers: list[tuple[int, int, int]]) -> tuple[float, float]:
    """Offset of the host's clock (positive: ahead of this machine's) and the largest error of that
    offset [s], from the question that was answered fastest."""
    asked, answered, received = min(answers, key=lambda a: a[2] - a[0])
    return (answered - (asked + received) / 2) / 1e9, (received - asked) / 2e9


def offset_of(remote: Remote) -> tuple[float, float]:
    """Ask ten times for the offset of a host's clock and its largest error [s], rounded to the
    microsecond. Raises as `ask_clock` does."""
    if not remote.has_own_clock:
        return 0.0, 0.0
    offset, error = clock_offset(ask_clock(remote, 10))
    return round(offset, 6), round(error, 6)
