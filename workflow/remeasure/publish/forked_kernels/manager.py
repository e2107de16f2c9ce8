"""Starting kernels by the server."""

import os
import sys
from pathlib import Path

from jupyter_client.manager import AsyncKernelManager

from remeasure.publish.forked_kernels.server_process import SOCKET

_RELAY = Path(__file__).with_name("relay.py")


def manager_class() -> type[AsyncKernelManager]:
    """What starts kernels: by the server, if there is one."""
    there = os.path.exists(os.environ.get(SOCKET, ""))
    return _Forked if there else AsyncKernelManager


class _Forked(AsyncKernelManager):
    """Starts a relay in place of a kernel."""

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        # python -m ipykernel_launcher -f FILE ...
        arguments = super().format_kernel_cmd(extra_arguments)[3:]
        return [sys.executable, "-I", "-S", str(_RELAY), os.environ[SOCKET], *arguments]
