"""SSH servers of our own that answer as Windows hosts should, by documentation. Not a simulation of
Windows: each script is known by its first line ('# remeasure: ...'), and its effect is a change of
a few Python values. The contents of a script are looked at if they matter (the suite of a tunnel,
the options of a flow, the path of a program)."""

import base64
import json
import math
import re
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import paramiko
import windows_output
from windows_output import Machine

from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.scenario import Scenario, load_scenario
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.overhead import (
    ETHERNET,
    IPV4_HEADER,
    UDP,
    largest_packet,
    packet_on_wire,
)
from remeasure.bench.testbed.inventory import Inventory
from remeasure_windows import powershell


def short_sweep() -> Scenario:
    """algorithm-sweep with two payloads; same cells, same probes."""
    document = load_scenario("algorithm-sweep", "smoke").document
    each = document["probes"]["flow"]["each"] | {"payload": [64, 1472]}
    flow = document["probes"]["flow"] | {"each": each}
    document = document | {"probes": document["probes"] | {"flow": flow}}
    return Scenario("algorithm-sweep", document, "smoke", "algorithm_sweep/scenario.yaml")


SWEEP = short_sweep()
HOSTS, LINKS = ("client1", "gw1", "gw2", "client2"), ("site1", "wan", "site2")
"""hosts in a row, and the links between them"""
TOOLS = {"tool\td-itg": "ITGDec version 2.8.1 (r1023)"}
SEGMENT = 1300
"""bytes of payload that TCP sends at once, cut to fit every suite's packets"""
Answer = tuple[str, str, int]
"""output, error output, exit status"""


def decoded(sent: bytes) -> list[str]:
    """The script and the secret that `powershell.encode` has encoded."""
    return [base64.b64decode(part).decode() for part in sent.split(b"\n")[:2]]


class Windows:
    """Four hosts of site-to-site. `wrong[role, step]` answers instead of the documented answer."""

    def __init__(self, topology: Topology, folder: Path):
        self.topology = topology
        self.machines = {role: Machine() for role in topology.hosts}
        self.wrong: dict[tuple[str, str], Callable[[str], Answer]] = {}
        self.speed, self.cell = 100_000_000, None
        self._lock = threading.RLock()
        self._key = paramiko.RSAKey.generate(1024)
        self._login = folder / "key"
        paramiko.ECDSAKey.generate().write_private_key_file(str(self._login))
        self._sockets = {role: socket.create_server(("127.0.0.1", 0)) for role in topology.hosts}
        self._ports = {role: one.getsockname()[1] for role, one in self._sockets.items()}
        self._transports: list[paramiko.Transport] = []
        for role in topology.hosts:
            threading.Thread(target=self._accept, args=(role,), daemon=True).start()

    def close(self) -> None:
        for listening in self._sockets.values():
            with suppress(OSError):  # closed already
                listening.shutdown(socket.SHUT_RDWR)  # or a waiting accept would take one more
            listening.close()
        for transport in list(self._transports):
            transport.close()

    def inventory(self) -> Inventory:
        key = f"{self._key.get_name()} {self._key.get_base64()}"
        settings = {"ipsec": "netsecurity"}
        all_have = {"os": "windows", "windows": settings, "address": "127.0.0.1", "user": "tester"}
        all_have |= {"key": self._login, "host_key": key}
        hosts = [
            {
                "name": f"pc-{role}",
                "roles": [role],
                "port": self._ports[role],
                "interfaces": {link: f"to {link}" for link in self.topology.links_of(role)},
            }
            for role in self.topology.hosts
        ]
        return Inventory(name="answering-windows", hosts=[all_have | host for host in hosts])

    def _accept(self, role: str) -> None:
        with suppress(OSError, EOFError, paramiko.SSHException):  # closed
            while True:
                client, _ = self._sockets[role].accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                transport = paramiko.Transport(client)
                self._transports.append(transport)
                transport.add_server_key(self._key)
                transport.start_server(server=_Door(self, role))

    def answer(self, role: str, text: str, secret: str) -> Answer:
        step = text.partition("\n")[0].removeprefix("# remeasure: ")
        with self._lock:
            self.machines[role].ran.append((text, secret))
            if wrong := self.wrong.get((role, step)):
                return wrong(text)
            words = re.sub(r"\(.*|the tunnel of \w+", "", step).strip().replace(" ", "_")
            try:
                return getattr(self, f"_do_{words}")(role, text), "", 0
            except (AttributeError, Refused) as error:
                return "", f"{error}\r\n", 1

    def _do_look(self, role: str, text: str) -> str:
        found = {
            "user": rf"{role}\tester",
            "administrator": "True",
            "powershell": "5.1.17763.1",
            "ssh": "192.0.2.1 50000 192.0.2.9 22",
            "forwarding": "1",
            "ipsec": "True",
        }
        return "".join(f"{key}\t{value}\n" for key, value in (found | TOOLS).items())

    def _do_facts(self, role: str, text: str) -> str:
        found = {
            "os": "Microsoft Windows Server 2019 Standard",
            "edition": "ServerStandard",
            "build": "17763.1",
            "kernel": "Windows 10.0.17763 AMD64",
            "cpu": "A processor",
            "cpus": "4",
            "memory_kib": "8000000",
            "powershell": "5.1.17763.1",
            "power_plan": "Power Scheme GUID: 8c5e7fda (High performance)",
        }
        lines = [f"{key}\t{value}\n" for key, value in (found | TOOLS).items()]
        for name in re.findall(r"'(to \w+)'", text):
            lines += [f"driver\t{name}\tA card 1.0\n", f"offload\t{name}\t*LsoV2IPv4\t1\n"]
        return "".join(lines)

    def _do_network_connections(self, role: str, text: str) -> str:
        return "".join(
            f"to {link}\tUp\t{self.speed}\t{address.with_netmask}\n"
            for link, address in self.topology.links_of(role).items()
            if f"'to {link}'" in text
        )

    def _do_make_the_work_folder(self, role: str, text: str) -> str:
        self.machines[role].folder, self.machines[role].servers = (
            text.startswith("# remeasure: make"),
            [],
        )
        return ""

    _do_remove_the_work_folder = _do_make_the_work_folder

    def _do_remove_our_rules(self, role: str, text: str) -> str:
        machine = self.machines[role]
        machine.rules = [name for name in machine.rules if not name.startswith("remeasure-")]
        machine.suite, machine.sa = None, False
        return ""

    def _do_set_up(self, role: str, text: str) -> str:
        found = re.search(r"-ESPHash (\w+) -Encryption (\w+)", text)
        self.machines[role].suite = found[1], found[2]
        self.machines[role].rules.append("remeasure-tunnel")
        return ""

    def _do_bring_the_tunnel_up(self, role: str, text: str) -> str:
        gateways = [self.machines[name] for name in ("gw1", "gw2")]
        if any(not gateway.rules for gateway in gateways) or gateways[0].suite != gateways[1].suite:
            raise Refused("no answer from 192.168.20.1 through the tunnel")
        for gateway in gateways:
            gateway.sa = True
        return ""

    def _do_start_ITGRecv(self, role: str, text: str) -> str:
        if not self.machines[role].folder or r'\remeasure-work\ITGRecv.exe"' not in text:
            raise Refused("ITGRecv.exe does not start: 9")
        self.machines[role].servers.append("ITGRecv.exe")
        return ""

    def _do_send_a_flow(self, role: str, text: str) -> str:
        wanted = dict(re.findall(r"-(\w) (\S+)", re.search(r"Arguments = '(.*)'", text)[1]))
        receiver = "client2" if role == "client1" else "client1"
        if not self.machines[receiver].servers:
            raise Refused("ITGSend.exe: exit 1: cannot connect")
        flow = {
            "transport": wanted["T"].lower(),
            "payload": int(wanted["c"]),
            "rate": float(wanted["C"]),
            "duration": float(wanted["t"]) / 1000,
        }
        self.machines[receiver].flow = self._carry(role, receiver, flow)
        return ""

    def _carry(self, sender: str, receiver: str, flow: dict) -> dict:
        """Packets over three links; the slowest limits them."""
        tunnel: IpsecTunnel | None = self.cell if self.machines["gw1"].sa else None
        payload, udp = flow["payload"], flow["transport"] == "udp"
        size = payload + UDP + IPV4_HEADER if udp else SEGMENT + 52
        whole = size <= largest_packet(tunnel)
        pieces = 1 if whole else 2
        wire = packet_on_wire(tunnel, size if whole else size // 2 + 20) * pieces
        wire += ETHERNET * pieces
        most = flow["duration"] * 95e6 / 8 / wire * (1 if udp else SEGMENT / payload)
        number = int(min(flow["rate"] * flow["duration"], most)) + 1
        packets = number if udp else math.ceil(number * payload / SEGMENT)
        there = sender == HOSTS[0]
        hosts, links = (HOSTS, LINKS) if there else (HOSTS[::-1], LINKS[::-1])
        for way, passed in (("rx", hosts[1:]), ("tx", hosts[:-1])):
            for host, link in zip(passed, links, strict=True):
                counters = self.machines[host].counters[f"to {link}"]
                through = link == "wan"
                counters[f"{way}p"] += packets * (pieces if through else 1)
                counters[f"{way}b"] += packets * (wire if through else size + ETHERNET)
        ends = {"client1": "192.168.10.1", "client2": "192.168.20.1"}
        return flow | {"received": number, "from": ends[sender], "to": ends[receiver]}

    def _do_decode_a_flow(self, role: str, text: str) -> str:
        flow = self.machines[role].flow
        if flow is None:
            raise Refused("ITGRecv does not finish")
        return windows_output.itgdec(flow)

    def _do_counters(self, role: str, text: str) -> str:
        links = []
        for name in re.findall(r"'(to \w+)'", text):
            counted = self.machines[role].counters[name]
            stats = {
                way: {"bytes": counted[f"{way}b"], "packets": counted[f"{way}p"], "dropped": 0}
                for way in ("rx", "tx")
            }
            links.append({"ifname": name, "stats64": stats})
        ticks = "cpu 1 0 1 8 0 0 0 0\n"
        return f"=== link.json\n{json.dumps(links)}\n=== stat.txt\n{ticks}"

    def _do_state_of_IPsec(self, role: str, text: str) -> str:
        machine = self.machines[role]
        local, other = ("198.51.100.1", "198.51.100.2")[:: 1 if role == "gw1" else -1]
        return windows_output.netsecurity(machine, local, other)


class Refused(Exception):
    """A script throws."""


class _Door(paramiko.ServerInterface):
    def __init__(self, windows: Windows, role: str):
        self._windows, self._role = windows, role

    def check_channel_request(self, kind, number):
        return paramiko.OPEN_SUCCEEDED

    def check_auth_publickey(self, username, key):
        return paramiko.AUTH_SUCCESSFUL

    def check_channel_exec_request(self, channel, command):
        threading.Thread(target=self._run, args=(channel, command.decode()), daemon=True).start()
        return True

    def _run(self, channel: paramiko.Channel, command: str) -> None:
        with suppress(OSError, EOFError, paramiko.SSHException):  # a client that is gone
            self._serve(channel, command)

    def _serve(self, channel: paramiko.Channel, command: str) -> None:
        code = 0
        if command == powershell.command_line():
            output, said, code = self._windows.answer(
                self._role, *decoded(channel.makefile("rb").read())
            )
            channel.sendall(output.encode())
            channel.sendall_stderr(said.encode())
        elif command == " ".join(powershell.direct(powershell.read("clock"))):
            for _ in channel.makefile("r"):
                channel.sendall(f"{time.time():.6f}\n".encode())
        else:
            # The client answers after it was told that its command was taken.
            channel.get_transport().global_request("keepalive@example.org", wait=True)
            code = 0 if command == "exit" else 255
        channel.send_exit_status(code)
        channel.close()
