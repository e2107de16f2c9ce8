"""File transfer by FTP (RFC 959): curl downloads a set of files from vsftpd, one after the other.
Both ends keep the files in memory, so that no disk affects the rate. The SHA-256 of each file that
arrived is compared with the SHA-256 of the file that was sent."""

import hashlib
import random
import re
from collections.abc import Iterable
from typing import ClassVar

from pydantic import Field

from remeasure.bench.base.topology import HostName
from remeasure.bench.ipsec.agreement import Carried, fewest_segments, most_segments
from remeasure.bench.probes.base import Bench, Ends, LogError, Probe, matched_lines, text_lines
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.tools import Tool, program

FOLDER = "/run/ftp"
CONFIG = program("vsftpd.conf", folder=FOLDER)
_FIELDS = ("url", "size_download", "time_starttransfer", "time_total", "exitcode")
_WRITE_OUT = r"\t".join(f"%{{{field}}}" for field in _FIELDS) + r"\t%time{%s.%f}\t%{errormsg}\n"
_LINE = re.compile(
    r"ftp://[0-9.]+/[0-9]+-of-[0-9]+MB/([0-9]+)\.jpg\t([0-9]+)\t([0-9]+\.[0-9]{6})\t"
    r"([0-9]+\.[0-9]{6})\t([0-9]+)\t([0-9]+\.[0-9]{6})\t(.*)"
)
_VERIFIED = re.compile(r"([0-9]+)\.jpg: OK")
SPREAD = 0.3
"""standard deviation of the logarithm of the files' sizes; pictures of one fixed camera differ in
size with their traffic and light"""
CONTROL_PACKETS = 30
"""largest number of packets of the control connection for one file"""
_MOUNT = f"""\
mkdir -p {FOLDER}; mountpoint -q {FOLDER} || mount -t tmpfs -o size=90% ftp {FOLDER}
mkdir -p {FOLDER}/served {FOLDER}/empty {FOLDER}/arrived
"""


def _read_transfers(file: str, content: bytes) -> Iterable[Value]:
    start = end = total = 0.0
    transfer = "a transfer of curl (is the file cut?)"
    for number, match in matched_lines(_LINE, file, content, transfer):
        index, size, wait, seconds, code, at, error = match.groups()
        if int(code):
            raise LogError(file, number, f"exit code {code}: {error}", "a transfer that completed")
        if int(index) != number:
            raise LogError(file, number, f"file {int(index)}", f"file {number}")
        size, seconds, end = int(size), float(seconds), float(at)
        start, total = start or end - seconds, total + size
        yield Value("file_rate", size * 8 / seconds / 1e6, number, int(index))
        yield Value("file_bytes", size, number, int(index))
        yield Value("file_wait", float(wait) * 1e3, number, int(index))
    yield Value("rate", total * 8 / (end - start) / 1e6, number)
    yield Value("elapsed", end - start, number)
    yield Value("files", number, number)
    yield Value("received_bytes", total, number)


def _read_verified(file: str, content: bytes) -> Iterable[Value]:
    for number, line in enumerate(text_lines(file, content), 1):
        match = _VERIFIED.fullmatch(line)
        if not match or int(match[1]) != number:
            raise LogError(file, number, line, f"file {number} as it was sent (SHA-256)")
    yield Value("verified", number, number)


class Ftp(Probe):
    """One download of all files of a set over one control connection."""

    kind: ClassVar = "ftp"
    tools: ClassVar = {
        "curl": Tool(["curl", "--version"], "curl"),
        "openssl": Tool(["openssl", "version"], "openssl"),
        # vsftpd writes its version to standard input.
        "vsftpd": Tool(["sh", "-c", "command -v vsftpd >/dev/null && vsftpd -v 0>&1"], "vsftpd"),
    }
    meanings: ClassVar = MEANINGS["ftp"]
    prepared_by: ClassVar = ("client", "server", "files", "megabytes")
    verifies: ClassVar = True
    readers: ClassVar = {".sha256.txt": _read_verified, "": _read_transfers}

    client: HostName
    """host that fetches the files"""
    server: HostName
    """host that runs the FTP server"""
    files: int = Field(ge=1, le=10_000)
    """number of files that are fetched, one after another; their sizes are drawn from a log-normal
    distribution"""
    megabytes: int = Field(ge=1, le=10_000)
    """size of all files together [10^6 bytes]"""

    def seconds(self) -> float:
        return 1 + self.megabytes / 25 + self.files / 100

    @property
    def _set(self) -> str:
        return f"{self.files}-of-{self.megabytes}MB"

    def sizes(self, seed: int) -> list[int]:
        """Size of each file [bytes]: log-normal, of the given sum."""
        draw = random.Random(seed)
        weights = [draw.lognormvariate(0, SPREAD) for _ in range(self.files)]
        total = self.megabytes * 10**6
        ends = [round(total * sum(weights[: i + 1]) / sum(weights)) for i in range(self.files)]
        return [end - start for start, end in zip([0, *ends], ends, strict=False)]

    def prepare(self, bench: Bench) -> None:
        server, client = bench.remotes[self.server], bench.remotes[self.client]
        there = (client, f"ls {FOLDER}/{self._set}.sha256"), (server, "pgrep -x vsftpd")
        made, serving = at_once(lambda asked: asked[0].run(asked[1], check=False), there)
        if not made:
            at_once(lambda remote: remote.run(_MOUNT), [server, client])
            server.write(f"{FOLDER}/vsftpd.conf", CONFIG)
            self._make_files(server, bench.seed)
            sums = server.run(f"cd {FOLDER}/served/{self._set} && sha256sum *.jpg", timeout=60)
            # The machine gives a guest its memory at its first use, which no sample should contain.
            client.run(
                f"head -c {self.megabytes}000000 /dev/zero >{FOLDER}/touch; rm {FOLDER}/touch"
            )
            client.write(f"{FOLDER}/{self._set}.sha256", sums)
        if not serving:
            server.run(["vsftpd", f"{FOLDER}/vsftpd.conf"])

    def _make_files(self, server: Remote, seed: int) -> None:
        """Make the files on the server: incompressible bytes that depend only on the seed (AES-CTR
        of zeros)."""
        key = hashlib.sha256(f"ftp {seed}".encode()).hexdigest()[:32]
        lines = [
            f"mkdir -p {FOLDER}/served/{self._set}",
            f"cd {FOLDER}",
            f"truncate -s {self.megabytes}000000 zeros",
            f"openssl enc -aes-128-ctr -K {key} -iv 0 -nosalt -bufsize 1048576"
            " -in zeros -out bytes 2>/dev/null",
        ]
        if self.files == 1:  # all of the bytes; guests may lack the space for a copy
            lines.append(f"mv bytes served/{self._set}/0001.jpg")
        else:
            start = 0
            for number, size in enumerate(self.sizes(seed), 1):
                lines.append(
                    f"dd if=bytes of=served/{self._set}/{number:04d}.jpg bs=256k skip={start} "
                    f"count={size} iflag=skip_bytes,count_bytes status=none"
                )
                start += size
        server.write(f"{FOLDER}/make.sh", "\n".join([*lines, "rm -f zeros bytes"]) + "\n")
        server.run(f"sh -e {FOLDER}/make.sh", timeout=120)

    def measure(self, bench: Bench, stem: str) -> None:
        address, client = bench.topology.address(self.server), bench.remotes[self.client]
        entries = "".join(
            f"url = ftp://{address}/{self._set}/{number:04d}.jpg\n"
            f"output = {FOLDER}/arrived/{number:04d}.jpg\n"
            for number in range(1, self.files + 1)
        )
        client.write(f"{FOLDER}/curl.conf", entries)
        # The line of a failed transfer shows it, and `read` refuses the log.
        limit = self.megabytes * 2 + self.files + 30
        command = f"timeout -s KILL {limit} curl --silent --fail-early --connect-timeout 10"
        command += f" --speed-time 20 --config {FOLDER}/curl.conf --write-out"
        text = client.run([*command.split(), _WRITE_OUT], timeout=limit + 30, check=False)
        bench.save(f"{stem}.txt", text)

    def verify(self, bench: Bench, stem: str) -> None:
        text = bench.remotes[self.client].run(
            f"cd {FOLDER}/arrived && sha256sum --check ../{self._set}.sha256 2>&1; "
            f"rm -f {FOLDER}/arrived/*.jpg",
            timeout=120,
        )
        bench.save(f"{stem}.sha256.txt", text)

    def ends(self) -> Ends:
        return Ends(self.server, self.client)

    def carried(self, observations: list[Value]) -> Carried:
        received = next(o.value for o in observations if o.metric == "received_bytes")
        replies = CONTROL_PACKETS * self.files
        return Carried(self.client, fewest_segments(received), most_segments(received) + replies)

    def require_complete(self, file: str, content: bytes) -> None:
        size = self.megabytes * 10**6
        asked = {"files": self.files, "verified": self.files, "received_bytes": size}
        for o in self.parse(file, content):
            if o.value != asked.get(o.metric, o.value):
                raise LogError(file, o.line, f"{o.value:.0f} {o.metric}", f"{asked[o.metric]}")
