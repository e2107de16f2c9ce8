"""Output of programs of Windows hosts, by their documentation."""

import itertools
import json
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field


@dataclass
class Machine:
    """Contents of one host."""

    rules: list[str] = field(default_factory=list)
    suite: tuple[str, str] | None = None
    """integrity and encryption of remeasure's rule, in the tool's words"""
    sa: bool = False
    folder: bool = False
    servers: list[str] = field(default_factory=list)
    flow: dict | None = None
    """the last log of ITGRecv"""
    counters: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))
    """connection -> packets and bytes received and sent"""
    ran: list[tuple[str, str]] = field(default_factory=list)
    """(script, secret) in the order they came"""

    @property
    def steps(self) -> list[str]:
        return [text.partition("\n")[0].removeprefix("# remeasure: ") for text, _ in self.ran]


_PORTS = itertools.count(50000)
"""of senders: no two flows print the same"""


def itgdec(flow: dict) -> str:
    """Output of ITGDec of D-ITG 2.8.1, by the form that its parser knows."""
    received, duration = flow["received"], flow["duration"]
    size = received * flow["payload"]
    values = [
        ("Total time", f"{duration:13.6f} s"),
        ("Total packets", f"{received:13d}"),
        ("Minimum delay", "     0.000500 s"),
        ("Maximum delay", "     0.002000 s"),
        ("Average delay", "     0.001000 s"),
        ("Average jitter", "     0.000100 s"),
        ("Delay standard deviation", "     0.000200 s"),
        ("Bytes received", f"{size:13d}"),
        ("Average bitrate", f"{size * 8 / duration / 1000:13.6f} Kbit/s"),
        ("Average packet rate", f"{received / duration:13.6f} pkt/s"),
        ("Packets dropped", "            0 (0.00 %)"),
        ("Average loss-burst size", "     0.000000 pkt"),
    ]
    lines = [f"{name:24} = {value}" for name, value in values]
    rule, wide = "-" * 58, "_" * 58
    # Bytes of each tenth of a second, whole ones.
    count = math.ceil(duration * 10)
    parts = [size * (i + 1) // count - size * i // count for i in range(count)]
    head = ["ITGDec version 2.8.1 (r1023)", "Compile-time options: bursty multiport", rule]
    head += ["Flow number: 1", f"From {flow['from']}:{next(_PORTS)}", f"To    {flow['to']}:8999"]
    total = [wide, "****************  TOTAL RESULTS   ******************", wide]
    total += [f"{'Number of flows':24} = {1:13d}", *lines, f"{'Error lines':24} = {0:13d}"]
    series = [
        f"{i / 10:.6f} {part * 8 / 100:.6f} 0.001000 0.000100 0.000000"
        for i, part in enumerate(parts)
    ]
    printed = [*head, rule, *lines, rule, "", *total, rule, "--- series ---", *series]
    return "\n".join(printed) + "\n"


def netsecurity(machine: Machine, local: str, other: str) -> str:
    ends = {"LocalEndpoint": local, "RemoteEndpoint": other}
    sas, main = [], []
    if machine.sa:
        sa = ends | {"EncapsulationMode": "Tunnel", "FirstTransformType": "ESPAuthAndCipher"}
        sa["FirstIntegrityAlgorithm"], sa["FirstCipherAlgorithm"] = machine.suite
        second = ("TransformType", "IntegrityAlgorithm", "CipherAlgorithm")
        sa |= {f"Second{field}": "None" for field in second}
        sas = [sa | {"InboundDirection": inbound} for inbound in ("True", "False")]
        main = [ends | {"AuthenticationMethod": "2"}]
    rules = "".join(f"{name}\n" for name in machine.rules)
    return (
        f"=== rules\n{rules}=== ours\n{rules}=== quick mode\n{json.dumps(sas, indent=4)}\n"
        f"=== main mode\n{json.dumps(main)}\n"
    )
