"""Serving the site on this machine."""

import functools
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from remeasure.bench.base.errors import UserError


def serve(folder: Path, port: int) -> None:
    """Serve `folder` on the loopback interface until interrupted. Raises UserError if it was not
    built, or if the port is taken."""
    if not (folder / "index.html").exists():
        raise UserError(f"{folder}: no site here; make it: env/run snakemake --cores 4")
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
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
