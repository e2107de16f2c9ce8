"""A Windows host under measurement: every script is recorded, but not its secret."""

from collections.abc import Sequence

from remeasure.bench.testbed.record_clock import now_ns
from remeasure.bench.testbed.remote import Command, CommandFailed, Remote
from remeasure.bench.testbed.watching.clock_offset import offset_of
from remeasure_windows import powershell

# .NET counts steps of 100 ns since year 1. The number is the beginning of 1970 in these steps.
_CLOCK = """\
while ($null -ne [Console]::In.ReadLine()) {
    $t = [DateTime]::UtcNow.Ticks - 621355968000000000
    [Console]::Out.WriteLine('{0}.{1:d6}' -f [Math]::Floor($t / 10000000), \
[int64][Math]::Floor(($t % 10000000) / 10))
    [Console]::Out.Flush()
}
"""


class WindowsRemote(Remote):
    """One Windows host. `run` takes a script of PowerShell."""

    alive = "exit"

    def run(
        self,
        command: str | Sequence[str],
        *,
        timeout: float = 60,
        check: bool = True,
        secret: str = "",
    ) -> str:
        """Run a script (made by `powershell.script`) and return its output. `secret` is the value
        of `$Secret` in it. Raises CommandFailed with the script's own words if it throws (with
        `check`) or after `timeout` seconds, HostUnreachable, and TypeError for argv instead of a
        script."""
        if not isinstance(command, str):
            raise TypeError(f"{self.name}: found argv {command}, expected a script")
        start = now_ns()
        code: int | None = None
        try:
            output, said, code = self._exchange(
                powershell.command_line(), powershell.encode(command, secret), timeout
            )
        except TimeoutError:
            self._too_late(powershell.step_of(command), timeout)
        finally:
            argv = ["powershell", command]
            self.on_command(Command(self.name, argv, start, now_ns(), code))
        if check and code:
            why = powershell.said(said)
            if secret:
                why = why.replace(secret, powershell.SECRET)
            raise CommandFailed(
                f"{self.name}: {powershell.step_of(command)}: {why or f'exit {code}'}"
            )
        return output.decode(errors="replace")

    def clock_offset(self) -> tuple[float, float]:
        """Offset of the host's clock and its largest error [s], as
        remeasure.bench.testbed.watching.clock_offset.offset_of gives them."""
        return offset_of(self, answer=powershell.direct(_CLOCK))
