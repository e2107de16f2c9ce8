"""The network of a lab of guests: each link is a pair of sockets, or a pair of taps.

The links carry only traffic of the experiment. A separate control network joins this process with
every guest, for SSH:

    this process 10.66.0.254 --- tap "control", relay --- guests 10.66.0.1, 10.66.0.2, ...

Links between guests of User Mode Linux are sockets: on taps, a guest now and then noticed a frame
only when the next one came. (Presumably Linux signals a frame on a tap before epoll can see it, and
a guest on another core looks too early.) Links between guests of QEMU are taps, because only a tap
has several queues.
"""

import contextlib
import fcntl
import os
import re
import selectors
import socket
import struct
import threading
from ipaddress import IPv4Network, ip_interface
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.lab.guest import LinkEnd
from remeasure.bench.lab.namespace import run_ip
from remeasure.bench.testbed.borrowing.namespace_setup import address_lines, link_lines

CONTROL = "control"
OUR_ADDRESS = "10.66.0.254"
_CONTROL_NETWORK = IPv4Network("10.66.0.0/24")
_OURS = re.compile(rf"{CONTROL}|(vec|eth|their|link)[0-9]+[ab]?")
"""names of interfaces of guests, at least until they are named after their links"""
_SET_INTERFACE, _TAP, _NO_HEADER = 0x400454CA, 0x0002, 0x1000  # linux/if_tun.h
_FRAME = 65536


def control_address(index: int) -> str:
    """IPv4 address of a guest on the control network; `index` counts from 0."""
    return f"10.66.0.{index + 1}"


def require_apart(topology: Topology) -> None:
    """Raises UserError naming a name or address that a link shares with the control network."""
    for link, ends in topology.links.items():
        if _OURS.fullmatch(link):
            raise UserError(
                f"topology {topology.name}: links.{link}: a lab has interfaces of that name; "
                "choose another"
            )
        for host, address in ends.items():
            if address.version == 4 and address.network.overlaps(_CONTROL_NETWORK):
                raise UserError(
                    f"topology {topology.name}: links.{link}.{host}: found {address}, expected an "
                    f"address beyond {_CONTROL_NETWORK}, by which a lab reaches its hosts"
                )


class Relay:
    """The control network: carries frames between one tap in the current network namespace and one
    socket for each guest, but not between guests."""

    def __init__(self, tap: str):
        self._tap = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self._tap, _SET_INTERFACE, struct.pack("16sH", tap.encode(), _TAP | _NO_HEADER))
        self._ports: list[socket.socket] = []
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self._end, self._ended = socket.socketpair()
        self._learnt: dict[bytes, socket.socket] = {}

    def port(self) -> socket.socket:
        """A new port. Returns the guest's end of it."""
        ours, theirs = pair()
        self._ports.append(ours)
        return theirs

    def start(self) -> None:
        """Carry frames from now on, until `stop` or the end of the process. The tap must be up
        already."""
        self._thread.start()

    def stop(self) -> None:
        """Stop carrying frames, and close the tap."""
        self._end.close()
        self._thread.join()
        os.close(self._tap)
        for port in (*self._ports, self._ended):
            port.close()

    def _carry(self) -> None:
        selector = selectors.DefaultSelector()
        selector.register(self._tap, selectors.EVENT_READ)
        for end in (self._ended, *self._ports):
            selector.register(end, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is self._ended:
                    return
                if isinstance(key.fileobj, socket.socket):
                    self._from_guest(key.fileobj)
                else:
                    self._to_guests(os.read(self._tap, _FRAME))

    def _to_guests(self, frame: bytes) -> None:
        known = self._learnt.get(frame[:6])
        for port in [known] if known else self._ports:
            # As on Ethernet, a guest that is too slow, or has ended, loses the frame.
            with contextlib.suppress(OSError):
                port.send(frame)

    def _from_guest(self, port: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the guest has ended, or the tap is down
            frame = port.recv(_FRAME)
            self._learnt[frame[6:12]] = port
            os.write(self._tap, frame)


def pair() -> tuple[socket.socket, socket.socket]:
    """A link: two sockets, each of which receives the other's frames. A frame that finds its buffer
    full waits at its sender."""
    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    for end in ends:
        end.setblocking(False)
    return ends


class Network:
    """All links of a topology, and the control network, in the current network namespace. `queues`
    is the number of queues of each tap; with 0 a link is a pair of sockets instead of taps."""

    def __init__(self, topology: Topology, queues: int = 0):
        self._relay = Relay(CONTROL)
        # With IPv6 this namespace would send packets of its own. A kernel may lack IPv6.
        for switch in Path("/proc/sys/net/ipv6/conf").glob("*/disable_ipv6"):
            switch.write_text("1")
        run_ip(
            "link set lo up", f"addr add {OUR_ADDRESS}/24 dev {CONTROL}", f"link set {CONTROL} up"
        )
        self.ends: dict[str, list[LinkEnd]] = {
            host: [self._relay.port()] for host in topology.hosts
        }
        self._bridges: list[str] = []
        for hosts in topology.links.values():
            ends: tuple[LinkEnd, LinkEnd] = self._bridged_taps(queues) if queues else pair()
            for host, end in zip(hosts, ends, strict=True):
                self.ends[host].append(end)
        self._relay.start()

    def _bridged_taps(self, queues: int) -> tuple[str, str]:
        bridge = f"link{len(self._bridges)}"
        taps = f"{bridge}a", f"{bridge}b"
        self._bridges.append(bridge)
        # Without multicast snooping a bridge sends nothing of its own.
        run_ip(f"link add {bridge} type bridge mcast_snooping 0", f"link set {bridge} up")
        for tap in taps:
            run_ip(
                f"tuntap add {tap} mode tap{' multi_queue' * (queues > 1)}",
                f"link set {tap} master {bridge} up",
            )
        return taps

    def close(self) -> None:
        """Take the network down; afterwards another one may be made."""
        self._relay.stop()
        for bridge in self._bridges:
            run_ip(f"link del {bridge}a", f"link del {bridge}b", f"link del {bridge}")


def guest_script(topology: Topology, host: str, interface: str) -> str:
    """Shell lines that configure a guest: <interface>0 is its end of the control network, and the
    next ones are its ends of its links, in order."""
    control = f"{control_address(topology.hosts.index(host))}/24"
    links = {link: link for link in topology.links_of(host)}
    names = [CONTROL, *links]
    lines = [
        *(f"ip link set {interface}{i} name {name}" for i, name in enumerate(names)),
        *address_lines(CONTROL, ip_interface(control)),
        *link_lines(topology, host, links),
        *setting_lines(host),
    ]
    return "\n".join(lines) + "\n"


def setting_lines(host: str) -> list[str]:
    """Shell lines that make a host a router with a name."""
    return [
        f"hostname {host}",
        "echo 1 >/proc/sys/net/ipv4/ip_forward",
        # A gateway that sends redirects would change the route of the next packet.
        "echo 0 >/proc/sys/net/ipv4/conf/all/send_redirects",
    ]
