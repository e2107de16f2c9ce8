"""A server that accepts connections and prints TEXT, or nothing; it hangs up if TEXT is --. python
listener.py PORT [TEXT]"""

import socket
import sys

_, port, *text = sys.argv
held = []
with socket.create_server(("127.0.0.1", int(port))) as server:
    while True:
        connection, _ = server.accept()
        if text == ["--"]:
            connection.close()
            continue
        if text:
            connection.sendall(f"{text[0]}\r\n".encode())
        held.append(connection)
