"""Commands that this machine runs to make the network of a lab."""

import fcntl
import os
import socket
import struct
import subprocess
from ipaddress import IPv4Interface

from remeasure.bench.base.errors import UserError
from remeasure.bench.testbed.tools import environment


def run_ip(*lines: str) -> None:
    """Run `ip` commands, in order. Raises UserError with the error output of one that failed."""
    run_tool(["ip", "-batch", "-"], "\n".join(lines))


def run_tool(argv: list[str], text: str = "") -> None:
    """Run a command with `text` as its standard input.

    Raises UserError with the error output of a command that failed, or if it is not installed.
    """
    try:
        done = subprocess.run(argv, input=text, text=True, capture_output=True, env=environment())
    except FileNotFoundError:
        raise UserError(f"lab: {argv[0]} is not installed") from None
    if done.returncode:
        why = " / ".join(done.stderr.split("\n")).strip(" /")
        raise UserError(f"lab: {' '.join(argv)}: {why or f'exit {done.returncode}'}")


_SET_ADDRESS, _SET_MASK = 0x8916, 0x891C  # SIOCSIFADDR, SIOCSIFNETMASK
_GET_FLAGS, _SET_FLAGS = 0x8913, 0x8914  # SIOCGIFFLAGS, SIOCSIFFLAGS
_UP = 1  # IFF_UP
_FLAGS = struct.Struct("=16sH22x")  # struct ifreq with flags
_ADDRESS = struct.Struct("=16sHH4s16x")  # struct ifreq with struct sockaddr_in


def bring_up(name: str, address: IPv4Interface | None = None) -> None:
    """Bring an interface up, with this address and no other. Raises UserError if the kernel
    refuses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            if address:
                fcntl.ioctl(asked, _SET_ADDRESS, _with_address(name, address.ip.packed))
                fcntl.ioctl(asked, _SET_MASK, _with_address(name, address.netmask.packed))
            found = fcntl.ioctl(asked, _GET_FLAGS, _FLAGS.pack(name.encode(), 0))
            _, flags = _FLAGS.unpack(found)
            fcntl.ioctl(asked, _SET_FLAGS, _FLAGS.pack(name.encode(), flags | _UP))
        except OSError as error:
            why = os.strerror(error.errno or 0)
            raise UserError(f"lab: interface {name}: cannot be brought up: {why}") from None


def _with_address(name: str, packed: bytes) -> bytes:
    return _ADDRESS.pack(name.encode(), socket.AF_INET, 0, packed)
