"""Serving the site on this machine."""

import functools
import io
import sys
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO

from remeasure.bench.base.errors import UserError


class _Handler(SimpleHTTPRequestHandler):
    """Says what went wrong, and nothing of what did not."""

    def log_request(self, *_: object) -> None:
        pass

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        try:
            return super().send_head()
        except ValueError:  # what can be the name of no file, as one with a NUL
            self.send_error(HTTPStatus.NOT_FOUND)
            return None


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a browser that was closed
            super().handle_error(request, client_address)


def serve(folder: Path, port: int) -> None:
    """Serve `folder` on the loopback interface until interrupted. Raises UserError if it was not
    built, or if the port is taken."""
    if not (folder / "index.html").exists():
        raise UserError(f"{folder}: no site here; make it: env/run snakemake --cores 4")
    handler = functools.partial(_Handler, directory=str(folder))
    try:
        server = _Server(("127.0.0.1", port), handler)
    except OSError as error:
        raise UserError(f"port {port}: {error.strerror}; choose another: --port") from None
    except OverflowError:
        raise UserError(f"port {port}: found no port, expected 0 to 65535 (--port)") from None
    with server:
        print(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C ends)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
