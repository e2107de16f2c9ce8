"""Notices at once that an interface goes down: at a tap that is down, only a frame that somebody
sends would fail."""

import errno
import os
import socket
import struct

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
