"""iperf3 as a person runs it: by ssh in a terminal, with its report in plain text."""

import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from remeasure.bench.probes.base import Bench, LogError, matched_lines
from remeasure.bench.probes.iperf3 import PORT, Iperf3
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.testbed.record_clock import now_ns
from remeasure.bench.testbed.remote import Command, CommandFailed, Remote

_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_LINE = re.compile(
    r"\[ *[0-9]+\] +[0-9]+\.[0-9]{2}-[0-9]+\.[0-9]{2} +sec +"
    rf"{_NUMBER} [KMG]?Bytes +(?P<rate>{_NUMBER}) Mbits/sec *(?P<resent>[0-9]*)"
    rf"(?: +{_NUMBER} [KMG]?Bytes| +(?P<end>sender|receiver))? *"
    r"||Connecting to host \S+, port [0-9]+|\[ *[0-9]+\] local \S+ port [0-9]+ connected to \S+ "
    r"port [0-9]+|\[ ID\] Interval +Transfer +Bitrate( +Retr( +Cwnd)?)? *|(- )+-|iperf Done\."
)


class ByHand(Iperf3):
    """A TCP run of iperf3 from client to server, without Fabric and without JSON. Compared with the
    probe `iperf3`, it shows the additions of the project's way of measuring."""

    kind: ClassVar = "by_hand"
    takes_ipv6: ClassVar = False
    needs_machine: ClassVar = True
    meanings: ClassVar = MEANINGS["by_hand"]

    def measure(self, bench: Bench, stem: str) -> None:
        address = bench.topology.address(self.server)
        command = f"iperf3 --client {address} --port {PORT} --time {self.duration} --format m"
        client, limit = bench.remotes[self.client], self.duration + 40
        with tempfile.TemporaryDirectory() as folder:
            bench.save(f"{stem}.log", _ssh(client, command.split(), Path(folder), limit))

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """Yield goodput and retransmits, from the report of one stream (`--format m`)."""
        ends = dict[str, tuple[re.Match[str], int]]()
        for number, line in matched_lines(_LINE, file, content, "a line of iperf3"):
            if line["rate"]:
                ends[line["end"]] = line, number
        if not {"sender", "receiver"} <= ends.keys():
            raise LogError(file, 1, "no line of sender and receiver", "one of each")
        sender, place = ends["sender"]
        if sender["resent"]:
            yield Value("retransmits", int(sender["resent"]), place)
        receiver, place = ends["receiver"]
        yield Value("goodput", float(receiver["rate"]), place)

    def carried(self, observations: list[Value]) -> None:
        """None: the report is rounded."""
        return


def _ssh(remote: Remote, command: list[str], folder: Path, timeout: float) -> str:
    host, start = remote.host, now_ns()
    if remote.enter:
        # A login would measure the networks outside the namespace.
        raise CommandFailed(
            f"{remote.name}: probe by_hand needs a host with its own SSH login; this one is a "
            "namespace on a borrowed machine"
        )
    known_hosts = folder / "known_hosts"
    name = host.address if host.port == 22 else f"[{host.address}]:{host.port}"
    known_hosts.write_text(f"{name} {host.host_key}\n")
    options = ["-F", "none", "-i", str(host.key), "-p", str(host.port), "-o", "BatchMode=yes"]
    options += ["-o", f"UserKnownHostsFile={known_hosts}", "-o", "StrictHostKeyChecking=yes"]
    try:
        run = subprocess.run(
            ["ssh", *options, f"{host.user}@{host.address}", shlex.join(command)],
            # ssh would read input meant for the person who started the measurement.
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise CommandFailed(f"{host.name}: ssh: no end after {timeout:g} s") from None
    remote.on_command(Command(remote.name, command, start, now_ns(), run.returncode))
    if run.returncode:
        said = (run.stderr or run.stdout).strip().splitlines()
        raise CommandFailed(f"{host.name}: ssh: exit {run.returncode}: {' / '.join(said[-3:])}")
    return run.stdout
