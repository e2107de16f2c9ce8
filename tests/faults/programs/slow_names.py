"""A DNS server that has 127.0.0.1 for every name, and takes its time.

python slow_names.py SECONDS
"""

import socket
import sys
import threading

import dpkt

server = socket.socket(type=socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))


def answer(message: dpkt.dns.DNS, client: tuple) -> None:
    message.qr = 1
    (asked,) = message.qd
    if asked.type == dpkt.dns.DNS_A:
        address = socket.inet_aton("127.0.0.1")
        message.an = [dpkt.dns.DNS.RR(name=asked.name, rdata=address, ttl=1)]
    server.sendto(bytes(message), client)


while True:
    question, client = server.recvfrom(512)
    threading.Timer(float(sys.argv[1]), answer, (dpkt.dns.DNS(question), client)).start()
