"""A capture on every interface of this machine, outside any lab, of frames with some addresses."""

import contextlib
import socket
import struct
import threading
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

_EVERY_PROTOCOL = socket.htons(0x0003)  # linux/if_ether.h
_STATISTICS = 6  # linux/if_packet.h
_BUFFER = 64 << 20
_ADDRESSES = {b"\x08\x00": (26, 30), b"\x08\x06": (28, 38)}
"""type of an Ethernet frame (IPv4, ARP) -> where its two addresses begin"""


class Capture:
    """Frames from or to some networks, until the context is left."""

    def __init__(self, networks: list[IPv4Network]):
        """Raises PermissionError where this process may not capture."""
        self._networks = networks
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, _EVERY_PROTOCOL)
        with contextlib.suppress(PermissionError):
            self._socket.setsockopt(socket.SOL_SOCKET, 33, _BUFFER)  # SO_RCVBUFFORCE
        self._socket.settimeout(0.2)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.frames = 0
        """number of all frames seen"""
        self.found: list[str] = []
        """interface and the two addresses of each frame that was looked for"""

    def __enter__(self) -> "Capture":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        # Reading the statistics sets them back.
        said = self._socket.getsockopt(263, _STATISTICS, 8)  # SOL_PACKET
        self.lost = struct.unpack("II", said)[1]
        self._socket.close()

    def _look(self) -> None:
        while not self._over.is_set():
            with contextlib.suppress(TimeoutError):
                frame, (interface, *_) = self._socket.recvfrom(128)
                self.frames += 1
                for place in _ADDRESSES.get(frame[12:14], ()):
                    address = IPv4Address(frame[place : place + 4].ljust(4, b"\0"))
                    if any(address in network for network in self._networks):
                        self.found.append(f"{interface}: {address}: {frame.hex()}")


def networks_of_this_machine() -> list[IPv4Network]:
    """Destinations that this machine has a route to, but for its default route."""
    rows = [line.split() for line in Path("/proc/net/route").read_text().splitlines()[1:]]
    found = []
    for row in rows:
        destination, mask = (IPv4Address(int(row[i], 16).to_bytes(4, "little")) for i in (1, 7))
        if int(mask):
            found.append(IPv4Network(f"{destination}/{mask}"))
    return found
