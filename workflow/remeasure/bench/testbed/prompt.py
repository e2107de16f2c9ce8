"""How Fabric runs a command on a host. Its own runner asks every 10 ms whether the command has
ended, and sends a character of the command's input every 10 ms. Imported in functions, as Fabric
is."""

import threading
from typing import Any, BinaryIO

import fabric.runners


class PromptRunner(fabric.runners.Remote):  # type: ignore[misc]  # fabric has no types
    """Waits without asking, and ends at the time limit even if the host never begins the
    command."""

    def send_start_message(self, command: str) -> None:
        timer = threading.Timer(self.opts["timeout"], self.kill)
        timer.start()
        try:
            super().send_start_message(command)
        finally:
            timer.cancel()

    def handle_stdin(self, input_: BinaryIO, *_: Any, **__: Any) -> None:
        self.channel.sendall(input_.read())
        self.channel.shutdown_write()

    def wait(self) -> None:
        try:
            self.channel.status_event.wait()
        except BaseException:  # an interrupt must not wait for the command's output
            self.kill()
            raise
