"""What programs of Windows hosts print, by their documentation."""

import itertools
import json
import math
from dataclasses import dataclass, field


@dataclass
class Machine:
    """What one host holds."""

    rules: list[str] = field(default_factory=list)
    suite: tuple[str, str] | None = None
    """integrity and encryption of remeasure's rule, in the tool's words"""
    sa: bool = False
    folder: bool = False
    servers: list[str] = field(default_factory=list)
    flow: dict | None = None
    """what ITGRecv logged last"""
    counters: dict[str, dict[str, int]] = field(default_factory=dict)
    ran: list[tuple[str, str]] = field(default_factory=list)
    """(script, secret) in the order they came"""

    @property
    def steps(self) -> list[str]:
        return [text.partition("\n")[0].removeprefix("# remeasure: ") for text, _ in self.ran]


_PORTS = itertools.count(50000)
"""of senders: no two flows print the same"""


def itgdec(flow: dict) -> str:
    """As ITGDec of D-ITG 2.8.1 prints, by the form that its parser knows."""
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
    series = [
        f"{i / 10:.6f} {part * 8 / 100:.6f} 0.001000 0.000100 0.000000"
        for i, part in enumerate(parts)
    ]
    return (
        "\n".join(
            [
                "ITGDec version 2.8.1 (r1023)",
                "Compile-time options: bursty multiport",
                rule,
                "Flow number: 1",
                f"From {flow['from']}:{next(_PORTS)}",
                f"To    {flow['to']}:8999",
                rule,
                *lines,
                rule,
                "",
                wide,
                "****************  TOTAL RESULTS   ******************",
                wide,
                f"{'Number of flows':24} = {1:13d}",
                *lines,
                f"{'Error lines':24} = {0:13d}",
                rule,
                "--- series ---",
                *series,
            ]
        )
        + "\n"
    )


def iperf3(flow: dict) -> str:
    size, packets = flow["received"] * flow["payload"], flow["received"]
    udp = flow["transport"] == "udp"
    seconds = float(flow["duration"])
    both = {
        "start": 0,
        "end": seconds,
        "seconds": seconds,
        "bytes": size,
        "bits_per_second": size * 8 / seconds,
    }
    lost = {"jitter_ms": 0.1, "lost_packets": 0, "packets": packets, "lost_percent": 0.0}
    interval = both | {"omitted": False, "sender": True} | ({"packets": packets} if udp else {})
    total = both | (lost if udp else {}) | {"sender": True}
    ends = {"udp": total} if udp else {"sender": total, "receiver": total}
    settings = {
        "protocol": flow["transport"].upper(),
        "num_streams": 1,
        "blksize": flow["payload"],
        "omit": 0,
        "duration": math.ceil(seconds),
        "reverse": 0,
    }
    connected = {"socket": 4, "local_port": next(_PORTS), "remote_host": flow["to"]}
    return (
        json.dumps(
            {
                "start": {"connected": [connected], "test_start": settings},
                "intervals": [{"streams": [interval], "sum": interval}],
                "end": {
                    "streams": [ends],
                    **({"sum": total} if udp else {}),
                    "sum_sent": total,
                    "sum_received": total | ({"sender": False} if udp else {}),
                },
            },
            indent=1,
        )
        + "\n"
    )


def netsecurity(machine: Machine, local: str, other: str) -> str:
    sas = (
        [
            {
                "LocalEndpoint": local,
                "RemoteEndpoint": other,
                "InboundDirection": inbound,
                "EncapsulationMode": "Tunnel",
                "FirstTransformType": "ESPAuthAndCipher",
                "FirstIntegrityAlgorithm": machine.suite[0],
                "FirstCipherAlgorithm": machine.suite[1],
                "SecondTransformType": "None",
                "SecondIntegrityAlgorithm": "None",
                "SecondCipherAlgorithm": "None",
            }
            for inbound in ("True", "False")
        ]
        if machine.sa
        else []
    )
    main = (
        [{"LocalEndpoint": local, "RemoteEndpoint": other, "AuthenticationMethod": "2"}]
        if machine.sa
        else []
    )
    rules = "".join(f"{name}\n" for name in machine.rules)
    return (
        f"=== rules\n{rules}=== ours\n{rules}=== quick mode\n{json.dumps(sas, indent=4)}\n"
        f"=== main mode\n{json.dumps(main)}\n"
    )


def advfirewall(machine: Machine, local: str, other: str) -> str:
    rules = (
        "".join(
            f"\nRule Name:    {name}\n------\nEnabled:    Yes\nMode:   Tunnel\nOk.\n"
            for name in machine.rules
        )
        or "\nNo rules match the specified criteria.\n"
    )
    ends = f"Local IP Address:   {local}\nRemote IP Address:  {other}\n"
    none = "\nNo SAs match the specified criteria.\n"
    quick = (
        (
            f"\nQuick Mode SA at 11/21/2026 13:10:09\n{ends}Local Port:  Any\nDirection:  Both\n"
            f"QM Offer:  ESP:{'-'.join(machine.suite).upper()}+1440min +2147483647kb\nOk.\n"
        )
        if machine.sa
        else none
    )
    main = (
        (f"\nMain Mode SA at 11/21/2026 13:10:09\n{ends}First Auth:  ComputerPSK\nOk.\n")
        if machine.sa
        else none
    )
    return (
        f"=== rules\n{rules}=== main mode rules\n{rules}=== quick mode\n{quick}"
        f"=== main mode\n{main}"
    )
