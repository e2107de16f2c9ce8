"""The control network: frames between a tap of this process and one socket for each guest."""

import contextlib
import errno
import fcntl
import os
import selectors
import socket
import struct
import threading
from collections.abc import Callable

_LINK_CHANGES = 1  # linux/rtnetlink.h: RTMGRP_LINK
_HEADER = struct.Struct("=IHHII")  # struct nlmsghdr: length, type, flags, sequence, port
_LINK = struct.Struct("=BxHiII")  # struct ifinfomsg: family, type, index, flags, change
_NEW, _GONE = 16, 17  # RTM_NEWLINK, RTM_DELLINK
_UP = 1  # IFF_UP


class LinkState:
    """Hears of changes of one interface of the current network namespace, from now on
    (rtnetlink(7))."""

    def __init__(self, interface: str):
        self._index = socket.if_nametoindex(interface)
        self._changes = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
        self._changes.bind((0, _LINK_CHANGES))

    def fileno(self) -> int:
        """A descriptor that is readable when an interface has changed."""
        return self._changes.fileno()

    def check(self) -> None:
        """Read what has changed. Raises OSError (ENETDOWN) if the interface went down."""
        messages = self._changes.recv(65536)
        while messages:
            length, kind, *_ = _HEADER.unpack_from(messages)
            if kind in (_NEW, _GONE):
                _, _, index, flags, _ = _LINK.unpack_from(messages, _HEADER.size)
                if index == self._index and (kind == _GONE or not flags & _UP):
                    raise OSError(errno.ENETDOWN, os.strerror(errno.ENETDOWN))
            messages = messages[length + -length % 4 :]

    def close(self) -> None:
        self._changes.close()


_SET_INTERFACE, _TAP, _NO_HEADER = 0x400454CA, 0x0002, 0x1000  # linux/if_tun.h
_FRAME = 65536


class Relay:
    """Carries frames between one tap in the current network namespace and the guests, but not
    between guests."""

    def __init__(self, tap: str):
        self._name = tap
        self._tap = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self._tap, _SET_INTERFACE, struct.pack("16sH", tap.encode(), _TAP | _NO_HEADER))
        self._ports: list[socket.socket] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._end, self._ended = socket.socketpair()
        self._learnt: dict[bytes, socket.socket] = {}
        self._on_failure: Callable[[str], None] = lambda why: None
        self._failure = ""

    def port(self) -> socket.socket:
        """A new port. Returns the guest's end of it."""
        ours, theirs = pair()
        self._ports.append(ours)
        return theirs

    def start(self) -> None:
        """Carry frames from now on, until `stop`, the end of the process, or until the tap goes
        down. It must be up already."""
        self._state = LinkState(self._name)
        self._thread.start()

    def watch(self, on_failure: Callable[[str], None]) -> None:
        """Call `on_failure` with the reason, in another thread, once frames can be carried no more;
        at once if that is so already."""
        self._on_failure = on_failure
        if self._failure:
            on_failure(self._failure)

    def stop(self) -> None:
        """Stop carrying frames, and close the tap."""
        self._end.close()
        self._thread.join()
        os.close(self._tap)
        self._state.close()
        for port in (*self._ports, self._ended):
            port.close()

    def _run(self) -> None:
        try:
            self._carry()
        except OSError as error:
            self._failure = (
                f"lab: the control network failed: tap {self._name}: {error.strerror}; every guest "
                "is cut off"
            )
            self._on_failure(self._failure)

    def _carry(self) -> None:
        selector = selectors.DefaultSelector()
        for end in (self._ended, *self._ports):
            selector.register(end, selectors.EVENT_READ)
        for other in (self._tap, self._state):
            selector.register(other, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is self._ended:
                    return
                if key.fileobj is self._state:
                    self._state.check()
                elif isinstance(key.fileobj, socket.socket):
                    self._from_guest(key.fileobj)
                else:
                    self._to_guests(os.read(self._tap, _FRAME))

    def _to_guests(self, frame: bytes) -> None:
        known = self._learnt.get(frame[:6])
        for port in [known] if known else self._ports:
            _send(port, frame)

    def _from_guest(self, port: socket.socket) -> None:
        try:
            frame = port.recv(_FRAME)
        except OSError:
            return
        self._learnt[frame[6:12]] = port
        os.write(self._tap, frame)


def pair() -> tuple[socket.socket, socket.socket]:
    """A link: two sockets, each of which receives the frames that the other one sends. A frame that
    finds its buffer full waits at its sender."""
    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    for end in ends:
        end.setblocking(False)
    return ends


def _send(port: socket.socket, frame: bytes) -> None:
    # As on Ethernet, a guest that is too slow, or has ended, loses the frame.
    with contextlib.suppress(OSError):
        port.send(frame)
