"""Between a command and process 1 of its lab: this program passes signals on, and prints if process
1 was killed. It has the PID of the command, which people and Snakemake know.

    python supervise.py ARGUMENTS...    run `python ARGUMENTS...` as process 1

The namespaces are there (unshare(1)); the first child of this process begins the new PID namespace.
It is killed if this process ends. Only the standard library is imported, so that it starts at once.
"""

import contextlib
import ctypes
import os
import signal
import sys

_PASSED_ON = (signal.SIGINT, signal.SIGTERM)
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


def main() -> int:
    libc = ctypes.CDLL(None)
    child = os.fork()
    if child == 0:
        libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
        # Both signals are blocked since before unshare(1), until process 1 can handle them.
        os.execv(sys.executable, [sys.executable, *sys.argv[1:]])

    def pass_on(number: int, _: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)

    for number in _PASSED_ON:
        signal.signal(number, pass_on)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _PASSED_ON)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        return os.WEXITSTATUS(status)
    killer = os.WTERMSIG(status)
    print(
        # After the line of progress, which process 1 had no time to end.
        f"\nremeasure: the process that runs the lab was killed by signal {killer} "
        f"({signal.strsignal(killer)}), and the lab ended with it; trials that were finished are "
        "kept, run again to go on",
        file=sys.stderr,
    )
    return 128 + killer


if __name__ == "__main__":
    sys.exit(main())
