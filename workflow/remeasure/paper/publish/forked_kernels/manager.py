"""Starting kernels by the server."""

import sys
from pathlib import Path
from shutil import which

from jupyter_client.manager import AsyncKernelManager

from remeasure.paper.servers import NOTEBOOKS, socket_of

_RELAY = Path(__file__).with_name("kernel_relay.py")


def manager_class() -> type[AsyncKernelManager]:
    """What starts kernels: by the server, if there is one."""
    return _Forked if socket_of(NOTEBOOKS) else _Own


class _Own(AsyncKernelManager):
    """Starts kernels that are killed at once when this process ends. By themselves they look every
    second, and would make a folder again that is removed meanwhile."""

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        command = super().format_kernel_cmd(extra_arguments)
        return ["setpriv", "--pdeathsig", "KILL", *command] if which("setpriv") else command


class _Forked(_Own):
    """Starts a relay in place of a kernel."""

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        # ... python -m ipykernel_launcher -f FILE ...
        command = super().format_kernel_cmd(extra_arguments)
        place = command.index("-m")
        socket = socket_of(NOTEBOOKS)
        assert socket is not None
        relay = [sys.executable, "-I", "-S", str(_RELAY), socket]
        return [*command[: place - 1], *relay, *command[place + 2 :]]
