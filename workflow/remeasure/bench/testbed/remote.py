"""A host under measurement: one Fabric connection, on which every command is recorded. Fabric,
Invoke and Paramiko are imported in functions: their import takes half a second, for which a reader
of logs or tables should not have to wait."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from remeasure.bench.base.errors import UserError, in_brief
from remeasure.bench.testbed.inventory import Host
from remeasure.bench.testbed.login import CONNECT_LIMIT_S, HostUnreachable, log_in, why
from remeasure.bench.testbed.record_clock import now_ns
from remeasure.bench.testbed.tools import ADMIN_FOLDERS

if TYPE_CHECKING:
    import fabric

FILE_LIMIT_S = 30
"""longest time that a file transfer may go without an answer [s]"""
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

    alive = "true"
    """command that every host of this kind can run, and that prints nothing"""
    has_own_clock = True
    """whether its clock may be off from the clock of records"""

    def __init__(self, host: Host, enter: Sequence[str] = ()):
        """`enter` is a command that runs another one, like sudo; every command is run through
        it."""
        self.host = host
        self.enter = tuple(enter)
        self.name = host.name
        self.on_command: Callable[[Command], None] = lambda command: None
        """called with every finished command"""
        self._connection: fabric.Connection | None = None
        self._lost = ""
        """why the host was given up; empty if it was not"""

    def run(self, command: str | Sequence[str], *, timeout: float = 30, check: bool = True) -> str:
        """Run a command and return its standard output. Raises CommandFailed on a non-zero exit
        (with `check`) or after `timeout` seconds, and HostUnreachable if there is no connection."""
        import invoke
        import paramiko

        text = command if isinstance(command, str) else shlex.join(command)
        argv = ["sh", "-c", command] if isinstance(command, str) else list(command)
        connection = self.connect()
        start, limit = now_ns(), time.monotonic() + timeout
        code: int | None = None
        late = False
        try:
            result = connection.run(
                self._line(text), hide=True, warn=True, timeout=timeout, in_stream=False
            )
            # At the limit Invoke closes the command's channel. If the command ends at that moment,
            # Invoke may return a part of its output with its exit status.
            late = time.monotonic() >= limit
            # Invoke reports a missing exit status as -1.
            code = result.exited if result.exited >= 0 and not late else None
        except invoke.exceptions.CommandTimedOut:
            late = True
        except (paramiko.SSHException, OSError, EOFError) as error:
            raise self._unreachable(f"connection lost: {why(error)}") from None
        finally:
            self.on_command(Command(self.name, argv, start, now_ns(), code))
        if late and not self._lost:
            self._too_late(text, timeout)
        if code is None:
            raise self._unreachable(f"connection lost before the end of: {in_brief(text)}")
        if check and code:
            raise self._failed(text, code, result.stderr.strip() or result.stdout)
        return str(result.stdout)

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

    def write(self, path: str, content: str | bytes) -> None:
        """Write `content` to a file that only its owner may read. The content is not recorded.
        Raises CommandFailed if the host refuses."""
        self._transfer(
            f"umask 077; rm -f {shlex.quote(path)}; cat >{shlex.quote(path)}",
            content.encode() if isinstance(content, str) else content,
        )

    def read(self, path: str) -> bytes:
        """Content of a file. Raises CommandFailed if there is no such file."""
        return self._transfer(f"cat {shlex.quote(path)}")

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

    def _transfer(self, text: str, content: bytes = b"") -> bytes:
        """Run a line for sh with `content` as its input. Returns its output unchanged."""
        try:
            output, said, code = self._exchange(self._line(text), content, FILE_LIMIT_S)
        except TimeoutError:
            raise self._unreachable("does not answer any more") from None
        if code:
            raise CommandFailed(f"{self.name}: {said.decode(errors='replace').strip()}")
        return output

    def _exchange(self, line: str, content: bytes, limit: float) -> tuple[bytes, bytes, int]:
        """Run `line` unchanged with `content` as its input. Returns output, error output, exit
        status. Raises TimeoutError if the command writes nothing for `limit` seconds,
        HostUnreachable if there is no connection."""
        import paramiko

        channel = None
        try:
            channel = self.connect().transport.open_session(timeout=CONNECT_LIMIT_S)
            channel.settimeout(limit)
            channel.exec_command(line)
            channel.sendall(content)
            channel.shutdown_write()
            output, said = channel.makefile("rb").read(), channel.makefile_stderr("rb").read()
            code = channel.recv_exit_status()
        except TimeoutError:
            raise
        except (paramiko.SSHException, OSError, EOFError) as error:
            raise self._unreachable(f"connection lost: {why(error)}") from None
        finally:
            if channel is not None:
                channel.close()
        if code == -1:  # the server did not give one
            raise self._unreachable("connection lost before the end of a command")
        return output, said, code

    def _failed(self, text: str, code: int, said: str) -> CommandFailed:
        lines = " / ".join(said.strip().splitlines()[-3:])
        return CommandFailed(f"{self.name}: exit {code}: {in_brief(text)}: {lines}")

    def _too_late(self, text: str, timeout: float) -> NoReturn:
        """Raises HostUnreachable if the host hangs, which ends the block; otherwise every later
        trial would wait and fail."""
        try:
            self.connect().run(self.alive, hide=True, timeout=CONNECT_LIMIT_S, in_stream=False)
        except Exception as error:
            raise self._unreachable(f"does not answer any more ({type(error).__name__})") from error
        raise CommandFailed(f"{self.name}: no end after {timeout:g} s: {in_brief(text)}") from None

    def _unreachable(self, what: str) -> HostUnreachable:
        return HostUnreachable(self._lost or f"host {self.name} ({self.address}): {what}")

    @property
    def address(self) -> str:
        """Its address and port, in words."""
        return f"{self.host.user}@{self.host.address}:{self.host.port}"


def at_once(action: Callable[..., Any], hosts: Iterable[Any]) -> list[Any]:
    """Run `action` on all hosts at the same time, or in turn (`in_turn`). Returns the results in
    the order of `hosts`. When all have ended, raises the exception of the first action that
    failed."""
    hosts = list(hosts)
    if not _in_turn.get():
        with ThreadPoolExecutor(max(len(hosts), 1)) as pool:
            return list(pool.map(action, hosts))
    results, failed = [], []
    for host in hosts:
        try:
            results.append(action(host))
        except Exception as error:  # noqa: BLE001 - the first is raised when all have ended
            failed.append(error)
    if failed:
        raise failed[0]
    return results


@contextmanager
def in_turn() -> Iterator[None]:
    """While it lasts, `at_once` asks hosts one after the other, always in the same order."""
    before = _in_turn.set(True)
    try:
        yield
    finally:
        _in_turn.reset(before)
