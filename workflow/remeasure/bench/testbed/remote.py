"""A host under measurement: one Fabric connection, on which every command is recorded. Commands go
by its `run`, and files by its `put` and `get`.

In a lab of two guests, medians of 60, `true` took 98 and 123 ms by Fabric's own runner, and 85 and
105 ms by the runner of `prompt`. A file of 102 kB took 39 and 54 ms by `put`, and 164 and 235 ms
through `cat`.

Fabric and Paramiko are imported in functions: their import takes half a second, for which a reader
of logs or tables should not have to wait."""

from __future__ import annotations

import base64
import io
import shlex
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from remeasure.bench.base.errors import UserError, in_brief
from remeasure.bench.testbed.inventory import Host
from remeasure.bench.testbed.login import CONNECT_LIMIT_S, HostUnreachable, log_in, why
from remeasure.bench.testbed.record_clock import now_ns
from remeasure.bench.testbed.tools import ADMIN_FOLDERS

if TYPE_CHECKING:
    import fabric
    import paramiko

FILE_LIMIT_S = 120
"""longest time that a file transfer may take [s]"""
_NEXT = "\n--- next answer ---\n"
"""precedes the output of each of several commands"""
_in_turn = ContextVar("in_turn", default=False)


class CommandFailed(UserError):
    """A command on a host failed. Rejects a trial; does not end a block."""


@dataclass(frozen=True)
class Command:
    """One command that was run; times are by the clock of the measuring machine [ns since the
    epoch]."""

    host: str
    argv: list[str]
    start_ns: int
    end_ns: int
    exit: int | None
    """exit status; None if the command did not end in time"""


class Remote:
    """One host. Commands are an argv as a list, or one string for a shell."""

    has_own_clock = True
    """whether its clock may be off from the clock of records"""

    def __init__(self, host: Host, enter: Sequence[str] = ()):
        """`enter` is a command that runs another one, like sudo; every command is run through
        it."""
        self.host = host
        self.enter = tuple(enter)
        self.name = host.name
        self.has_files = not enter
        """whether SFTP reaches the host's files, which it cannot through another command"""
        self.on_command: Callable[[Command], None] = lambda command: None
        """called with every finished command"""
        self._connection: fabric.Connection | None = None
        self._lost = ""
        """why the host was given up; empty if it was not"""

    def run(self, command: str | Sequence[str], *, timeout: float = 30, check: bool = True) -> str:
        """Run a command and return its standard output. Raises CommandFailed on a non-zero exit
        (with `check`) or after `timeout` seconds, and HostUnreachable if there is no connection."""
        text = command if isinstance(command, str) else shlex.join(command)
        argv = ["sh", "-c", command] if isinstance(command, str) else list(command)
        output, errors, code = self._recorded(argv, text, self._line(text), timeout)
        if check and code:
            lines = " / ".join((errors.strip() or output).strip().splitlines()[-3:])
            raise CommandFailed(f"{self.name}: exit {code}: {in_brief(text)}: {lines}")
        return output

    def run_each(self, commands: Sequence[str]) -> list[str]:
        """Run commands, each of which does the same when it is run again, and return their standard
        outputs. Raises as `run` does, at the first one that fails. They go to the host together: a
        guest takes longer to begin a command than to run it."""
        if len(commands) > 1:
            script = [f"printf %s {shlex.quote(_NEXT)}; {{ {one}\n}} || exit" for one in commands]
            try:
                outputs = self.run("\n".join(script)).split(_NEXT)[1:]
            except CommandFailed:
                outputs = []
            if len(outputs) == len(commands):
                return outputs
        # One by one, so that the error names the one that failed.
        return [self.run(command) for command in commands]

    def boot(self, command: str, ready: str, limit_s: float) -> None:
        """Run a command after which the host boots, and log in until the line `ready` ends, which
        waits for it. Raises HostUnreachable after `limit_s` seconds, and as `run` does."""
        end, said = time.monotonic() + limit_s, None
        self.run(command)
        while said is None:
            self.close()
            try:
                # It may have let us in before it went down, and would answer nothing then. The
                # booted host resets such a connection, once something is sent by it.
                self.connect().transport.set_keepalive(1)
                said = self.run(ready, timeout=limit_s)
            except HostUnreachable:
                if time.monotonic() > end:
                    raise

    def write(self, path: str, content: str | bytes) -> None:
        """Write `content` to a file that only its owner may read. The content is not recorded.
        Raises CommandFailed if the host refuses."""
        data, place = content.encode() if isinstance(content, str) else content, shlex.quote(path)
        if not self.has_files:
            self._through(f"umask 077; rm -f {place}; cat >{place}", data)
            return
        with self._files(path) as files:
            with suppress(FileNotFoundError):
                files.remove(path)
            files.open(path, "x").close()
            files.chmod(path, 0o600)
            self.connect().put(io.BytesIO(data), path)

    def read(self, path: str) -> bytes:
        """Content of a file. Raises CommandFailed if there is no such file."""
        if not self.has_files:
            return base64.b64decode(self._through(f"base64 {shlex.quote(path)}"))
        content = io.BytesIO()
        with self._files(path):
            self.connect().get(path, content)
        return content.getvalue()

    def start(self, argv: Sequence[str], output: str) -> int:
        """Start a command in the background, with its output in the file `output`. Returns its
        PID."""
        line = f"setsid {shlex.join(argv)} </dev/null >{shlex.quote(output)} 2>&1 & echo $!"
        return int(self.run(line))

    def connect(self) -> fabric.Connection:
        """The connection, opened at first use. Raises HostUnreachable."""
        if self._lost:
            raise HostUnreachable(self._lost)
        if self._connection is None:
            jump = self.host.jump
            gateway = jump and log_in(jump, f"jump host of {self.name}")
            self._connection = log_in(self.host, f"host {self.name}", gateway)
        return self._connection

    def give_up(self, why: str) -> None:
        """Called in another thread, when it is known that the host answers no more: every present
        and later command raises HostUnreachable with the reason `why`."""
        self._lost = why
        if self._connection is not None:
            self._connection.transport.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _line(self, text: str) -> str:
        """The line for the login shell that makes sh run `text`."""
        text = f"export PATH=$PATH:{ADMIN_FOLDERS}; {text}"
        return shlex.join([*self.enter, "sh", "-c", text]) if self.enter else text

    def _through(self, text: str, content: bytes = b"") -> str:
        """Output of a line for sh with `content` as its input, which is not recorded."""
        try:
            output, errors, code = self._answer(text, self._line(text), content, FILE_LIMIT_S)
        except TimeoutError:
            raise self._unreachable("does not answer any more") from None
        if code:
            raise CommandFailed(f"{self.name}: {errors.strip()}")
        return output

    @contextmanager
    def _files(self, path: str) -> Iterator[paramiko.SFTPClient]:
        """The transfer of the file `path`. Raises CommandFailed if the host refuses, and
        HostUnreachable if it does not answer within FILE_LIMIT_S."""
        import paramiko

        connection, end = self.connect(), time.monotonic() + FILE_LIMIT_S
        timer = threading.Timer(FILE_LIMIT_S, connection.transport.close)
        timer.start()
        try:
            yield connection.sftp()
        except (paramiko.SSHException, OSError, EOFError) as error:
            if isinstance(error, OSError) and connection.transport.is_active():
                raise CommandFailed(f"{self.name}: {path}: {why(error)}") from None
            late, lost = time.monotonic() >= end, f"connection lost: {why(error)}"
            raise self._unreachable("does not answer any more" if late else lost) from None
        finally:
            timer.cancel()

    def _recorded(
        self, argv: list[str], what: str, line: str, timeout: float
    ) -> tuple[str, str, int]:
        """As `_answer`, and hand the command to `on_command` as `argv`. Raises CommandFailed after
        `timeout` seconds, and for a command that a signal ended, if the host still answers."""
        start, code = self._now_ns(), None
        output, errors = "", ""
        try:
            output, errors, code = self._answer(what, line, b"", timeout)
        except TimeoutError:
            pass
        finally:
            self.on_command(Command(self.name, argv, start, self._now_ns(), code))
        if code in (None, -1):
            self._require_alive()
            ended = f"no end after {timeout:g} s" if code is None else "ended by a signal"
            raise CommandFailed(f"{self.name}: {ended}: {in_brief(what)}")
        return output, errors, code

    def _answer(self, what: str, line: str, content: bytes, limit: float) -> tuple[str, str, int]:
        """Run `line` unchanged with `content` as its input; errors call it `what`. Returns output,
        error output, exit status. Raises TimeoutError if it does not end within `limit` seconds,
        HostUnreachable if there is no connection."""
        import paramiko
        from invoke.exceptions import CommandTimedOut, ThreadException

        end, lost = time.monotonic() + limit, ""
        connection = self.connect()
        try:
            found = connection.run(line, in_stream=io.BytesIO(content), timeout=limit)
            # Without a status the limit or a signal ended the command, or the connection is lost.
            signalled = connection.transport.is_active() and time.monotonic() < end
            if found.exited != -1 or signalled:
                return found.stdout, found.stderr, found.exited
        except CommandTimedOut:
            pass
        except (paramiko.SSHException, ThreadException, OSError, EOFError) as error:
            lost = why(error)
        # If the command ends just at the limit, a part of its output may come with its status.
        if time.monotonic() >= end and not self._lost:
            raise TimeoutError
        raise self._unreachable(
            f"connection lost: {lost}"
            if lost
            else f"connection lost before the end of: {in_brief(what)}"
        )

    def _now_ns(self) -> int:
        return now_ns()

    def _require_alive(self) -> None:
        """Raises HostUnreachable if the host hangs, which ends the block; otherwise every later
        trial would wait and fail."""
        try:
            self._answer("true", "true", b"", CONNECT_LIMIT_S)
        except Exception as error:
            raise self._unreachable(f"does not answer any more ({type(error).__name__})") from error

    def _unreachable(self, what: str) -> HostUnreachable:
        return HostUnreachable(self._lost or f"host {self.name} ({self.address}): {what}")

    @property
    def address(self) -> str:
        """Its address and port, in words."""
        return f"{self.host.user}@{self.host.address}:{self.host.port}"


def at_once(action: Callable[..., Any], hosts: Iterable[Any]) -> list[Any]:
    """Run `action` on all hosts at the same time, or in turn (`in_turn`). Returns the results in
    the order of `hosts`. Raises the exception of the first action that failed; when all have ended,
    if they ran at the same time."""
    hosts = list(hosts)
    if not _in_turn.get():
        with ThreadPoolExecutor(max(len(hosts), 1)) as pool:
            return list(pool.map(action, hosts))
    return [action(host) for host in hosts]


@contextmanager
def in_turn() -> Iterator[None]:
    """While it lasts, `at_once` asks hosts one after the other, always in the same order."""
    before = _in_turn.set(True)
    try:
        yield
    finally:
        _in_turn.reset(before)
