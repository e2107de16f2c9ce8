"""Ask the server of the site for what it has not, and print what it answers: status codes. What it
says itself goes to where this program writes."""

import socket
import struct
import subprocess

ODD = (b"/%00", b"/a%00b/", b"//[/%00", b"/%ff%00", b"/")

with subprocess.Popen(
    ["remeasure", "site", "--port", "0"], stdout=subprocess.PIPE, text=True
) as site:
    address = site.stdout.readline().split()[0].removeprefix("http://").rstrip("/")
    host, port = address.split(":")
    found = []
    for path in ODD:
        # It goes away at once, by a reset.
        with socket.create_connection((host, int(port))) as gone:
            gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            gone.sendall(b"GET /index.html HTTP/1.0\r\n")
        with socket.create_connection((host, int(port))) as asking:
            asking.sendall(b"GET " + path + b" HTTP/1.0\r\n\r\n")
            found.append(asking.makefile("rb").readline().split()[1].decode())
    print(*found, flush=True)
    site.terminate()
