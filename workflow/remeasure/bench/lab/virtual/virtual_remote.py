"""A host in virtual time, asked through the channel of its guest."""

import shlex
from collections.abc import Callable, Sequence
from typing import Any

from remeasure.bench.base.errors import in_brief
from remeasure.bench.lab.virtual.channel import TIMED_OUT
from remeasure.bench.lab.virtual.virtual_lab import VirtualLab
from remeasure.bench.testbed.inventory import Host
from remeasure.bench.testbed.login import HostUnreachable
from remeasure.bench.testbed.remote import Command, CommandFailed, Remote
from remeasure.bench.testbed.tools import ADMIN_FOLDERS


class VirtualRemote(Remote):
    """One host, in the lab that `lab` returns. Times of commands are virtual."""

    has_own_clock = False
    address = "virtual time"

    def __init__(self, host: Host, lab: Callable[[], VirtualLab]):
        super().__init__(host)
        self._lab = lab

    def run(self, command: str | Sequence[str], *, timeout: float = 30, check: bool = True) -> str:
        """As Remote.run; `timeout` is virtual time [s], at whose end the command is ended."""
        text = command if isinstance(command, str) else shlex.join(command)
        argv = ["sh", "-c", command] if isinstance(command, str) else list(command)
        self.connect()
        answer = self._lab().ask(self.name, self._line(text), b"", timeout)
        late = answer.status == TIMED_OUT and answer.end_ns - answer.start_ns >= timeout * 1e9
        status = None if late else answer.status
        self.on_command(Command(self.name, argv, answer.start_ns, answer.end_ns, status))
        if status is None:
            raise CommandFailed(f"{self.name}: no end after {timeout:g} s: {in_brief(text)}")
        output, errors = (part.decode(errors="replace") for part in (answer.output, answer.errors))
        if check and status:
            said = (errors.strip() or output.strip()).splitlines()
            raise CommandFailed(
                f"{self.name}: exit {status}: {in_brief(text)}: {' / '.join(said[-3:])}"
            )
        return output

    def connect(self) -> Any:
        """Raises HostUnreachable if the host was given up; there is no connection to return."""
        if self._lost:
            raise HostUnreachable(self._lost)

    def give_up(self, why: str) -> None:
        self._lost = why

    def _exchange(self, line: str, content: bytes, limit: float) -> tuple[bytes, bytes, int]:
        answer = self._lab().ask(self.name, line, content, limit)
        return answer.output, answer.errors, answer.status

    def _line(self, text: str) -> str:
        return f"export PATH=$PATH:{ADMIN_FOLDERS}; {text}"
