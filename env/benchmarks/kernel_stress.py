"""Send files through ESP on the kernel for instructions, and compare their hashes; write
data/captured/kernel/stress.csv.

    env/run python env/benchmarks/kernel_stress.py [ROUNDS] # of 16 MiB for each suite, level, size

A file of random bytes goes by TCP (iperf3) from one guest to the other in segments of several
sizes, so that blocks of ciphers end anywhere in a packet. Each file must arrive with its hash, and
neither kernel may have dropped a packet for its integrity or its padding (/proc/net/xfrm_stat).
Exits with 1 otherwise. Four rounds take about ten minutes.
"""

import csv
import io
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from remeasure.bench.base.files import atomic_write
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.scenario import Cell, Scenario, load_scenario
from remeasure.bench.ipsec.control import TunnelControl
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.lab.lab import Lab
from remeasure.bench.lab.namespace import enter
from remeasure.bench.lab.testbeds import LabTestbed
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.treatments.instructions import Wanted

WRITTEN = Path(__file__).resolve().parents[2] / "data/captured/kernel/stress.csv"
SCENARIO = "esp-instructions"
"""whose cells with a tunnel are tried"""
SEGMENTS = [1398, 1021, 537, 93]
"""largest TCP segments [byte]: full packets, and sizes that no cipher's block divides"""
MIB = 16
"""size of the file [MiB]"""


class Row(NamedTuple):
    """Fate of the files of one suite at one level."""

    suite: str
    instructions: str
    files: int
    equal: int
    """files that arrived with the hash of the sent one"""
    packets: int
    """packets that the receiver's inbound SA counted"""
    dropped: str
    """counters of /proc/net/xfrm_stat of both hosts that are not 0, empty if there is none"""


def stressed(scenario: Scenario, cell: Cell, rounds: int, credentials: Credentials) -> Row:
    """Send the file `rounds` times in each size of segments."""
    topology, settings = scenario.topology, scenario.settings(cell)
    assert settings.tunnel
    testbed = LabTestbed(name="lab", backend="uml-instructions", memory_mib=512)
    backend = testbed.backend_for(Wanted(instructions=settings.instructions))
    with Lab(topology, backend) as inventory:
        remotes = {role: Remote(inventory.host(role)) for role in topology.hosts}
        control = TunnelControl(settings.tunnel, topology, remotes, credentials)
        control.configure()
        control.bring_up()
        files = list(_files(remotes["left"], remotes["right"], topology, rounds))
        listed = remotes["right"].run("ip -s xfrm state")
        packets = max(int(count) for count in re.findall(r"(\d+)\(packets\)", listed))
        dropped = [
            f"{name}: {words}"
            for name, remote in remotes.items()
            for words in remote.run("cat /proc/net/xfrm_stat").splitlines()
            if words.split()[1] != "0"
        ]
    return Row(
        cell["suite"], cell["instructions"], len(files), sum(files), packets, "; ".join(dropped)
    )


def _files(left: Remote, right: Remote, topology: Topology, rounds: int) -> Iterator[bool]:
    """Whether each file arrived as it was sent."""
    address = str(topology.address("right", "wire"))
    left.run(f"head -c {MIB}M /dev/urandom >/run/sent", timeout=60)
    sent = left.run("sha256sum </run/sent", timeout=60)
    for size in SEGMENTS:
        for _ in range(rounds):
            right.run(
                "rm -f /run/arrived; setsid iperf3 -s -1 -F /run/arrived "
                "</dev/null >/run/iperf3.out 2>&1 & "
                "until ss -Hltn 'sport = 5201' | grep -q .; do sleep 0.05; done"
            )
            command = f"iperf3 -c {address} -M {size} -n {MIB}M -F /run/sent"
            left.run(command, timeout=600)
            right.run("while pgrep -x iperf3 >/dev/null; do sleep 0.05; done", timeout=60)
            yield right.run("sha256sum </run/arrived", timeout=60) == sent


def main(rounds: int = 4) -> None:
    enter()
    scenario, rows = load_scenario(SCENARIO, "quick"), []
    with tempfile.TemporaryDirectory() as folder:
        credentials = Credentials(Path(folder))
        for cell in scenario.cells:
            if scenario.settings(cell).tunnel:
                rows.append(stressed(scenario, cell, rounds, credentials))
                print(*rows[-1], flush=True)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(Row._fields)
    table.writerows(rows)
    atomic_write(WRITTEN, text.getvalue().encode())
    wrong = [row for row in rows if row.equal != row.files or row.dropped]
    packets = sum(row.packets for row in rows)
    print(f"{packets} packets, {len(wrong)} suites and levels with an error")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
