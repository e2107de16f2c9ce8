"""iperf3 as a person runs it: ssh in a terminal, and its report for people."""

import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from remeasure.probes.base import Bench, LogError, Observation, text_lines
from remeasure.probes.iperf3 import PORT, Iperf3
from remeasure.testbed.remote import Command, CommandFailed, Remote

_SUM = re.compile(
    r"\[ *\d+\] +0\.00-([\d.]+) +sec +[\d.]+ [KMG]?Bytes +([\d.]+) Mbits/sec +"
    r"(?:(\d+) +)?(sender|receiver)"
)


class ByHand(Iperf3):
    """The run of `iperf3` that its fields describe, without Fabric and without JSON: what our own
    way of measuring adds can be seen by this beside it. TCP, client to server."""

    kind: ClassVar = "by_hand"

    def measure(self, bench: Bench, stem: str) -> None:
        command = [
            "iperf3",
            "--client",
            bench.topology.address(self.server),
            "--port",
            str(PORT),
            "--time",
            str(self.duration),
            "--format",
            "m",
        ]
        with tempfile.TemporaryDirectory() as folder:
            bench.save(
                f"{stem}.log",
                _ssh(bench.remotes[self.client], command, Path(folder), self.duration + 40),
            )

    @classmethod
    def parse(cls, file: str, content: bytes) -> Iterable[Observation]:
        """goodput (Mbit/s, of the receiver's line), retransmits (segments)."""
        found = set()
        for number, line in enumerate(text_lines(file, content), 1):
            if match := _SUM.fullmatch(line.rstrip()):
                found.add(match[4])
                if match[4] == "receiver":
                    yield Observation("goodput", float(match[2]), "Mbit/s", number)
                elif match[3]:
                    yield Observation("retransmits", int(match[3]), "segments", number)
        if found != {"sender", "receiver"}:
            raise LogError(file, 1, f"lines of {sorted(found)}", "one of sender and of receiver")

    def carried(self, observations: list[Observation]) -> None:
        """Its report is rounded."""
        return None

    def check(self, file: str, content: bytes) -> None:
        for _ in self.parse(file, content):
            pass


def _ssh(remote: Remote, command: list[str], folder: Path, timeout: float) -> str:
    host, start = remote.host, time.time_ns()
    if remote.enter:
        # Outside of it are somebody's networks.
        raise CommandFailed(
            f"{remote.name}: measured inside a namespace of a machine, which "
            "nobody logs in to by hand"
        )
    known_hosts = folder / "known_hosts"
    name = host.address if host.port == 22 else f"[{host.address}]:{host.port}"
    known_hosts.write_text(f"{name} {host.host_key}\n")
    options = [
        "-F",
        "none",
        "-i",
        str(host.key),
        "-p",
        str(host.port),
        "-o",
        "BatchMode=yes",
        "-o",
        f"UserKnownHostsFile={known_hosts}",
        "-o",
        "StrictHostKeyChecking=yes",
    ]
    try:
        run = subprocess.run(
            ["ssh", *options, f"{host.user}@{host.address}", shlex.join(command)],
            capture_output=True,
            text=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise CommandFailed(f"{host.name}: ssh: no end after {timeout:g} s") from None
    remote.on_command(Command(remote.name, command, start, time.time_ns(), run.returncode))
    if run.returncode:
        said = (run.stderr or run.stdout).strip().splitlines()
        raise CommandFailed(f"{host.name}: ssh: exit {run.returncode}: {' / '.join(said[-3:])}")
    return run.stdout
