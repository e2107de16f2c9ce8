"""Notices at once that a guest has ended, rather than when a command to it has had no answer."""

import os
import selectors
import socket
import threading
from collections.abc import Callable, Sequence

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.guest import Guest


class Watch:
    """Watches guests from the moment at which it is made until `stop`. It sleeps until one ends."""

    def __init__(self, guests: Sequence[Guest], on_end: Callable[[str], None]):
        """`on_end` is called with the reason, in another thread, when the first guest ends."""
        self._guests, self._on_end = guests, on_end
        self._end, self._ended = socket.socketpair()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._end.close()
        self._thread.join()
        self._ended.close()

    def _watch(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._ended, selectors.EVENT_READ)
            for guest in self._guests:
                selector.register(os.pidfd_open(guest.process), selectors.EVENT_READ, guest)
            ended = {key.data for key, _ in selector.select()}
            for descriptor in [key.fd for key in selector.get_map().values() if key.data]:
                os.close(descriptor)
        for guest in filter(None, ended):
            try:
                guest.check_alive()
            except UserError as error:
                self._on_end(str(error))
