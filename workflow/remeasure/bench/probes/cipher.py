"""Processor time of encryption and authentication, packet by packet, by OpenSSL's libcrypto.

The program (env/cipher-cost/cipher-cost.c) makes packets as ESP and AH lay them out, without
IPsec, network or root, and counts the processor time of its own process. Before it measures it
compares its algorithms with the answers that their standards print, and checks that packets come
back as they were and are refused if a byte has changed.
The log is read by readers.cipher_log.
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar, Literal

from pydantic import Field

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.topology import HostName
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.lab.libraries import Libraries, bring_libraries, get_libraries
from remeasure.bench.probes.base import Bench, LogError, Probe
from remeasure.bench.probes.metrics import Metric, Metrics, Observation, Value
from remeasure.bench.probes.readers.cipher_log import MASK, read_log
from remeasure.bench.testbed.programs import bring, get_program
from remeasure.bench.testbed.tools import Tool

PROGRAM = "cipher-cost"
_VARIABLE = "OPENSSL_ia32cap=" + ":".join(f"~{word:#x}" for word in MASK)
_PLACE = "/run/cipher-cost"
_LIBRARY = "libcrypto.so.3"


class Cipher(Probe):
    """Packets of one suite and size, protected and opened again within one process."""

    kind: ClassVar = "cipher"
    takes_ipv6: ClassVar = True
    size_fields: ClassVar = frozenset({"payload"})
    cost_fields: ClassVar = frozenset({"suite", "instructions"})
    needs_machine: ClassVar = True
    tools: ClassVar = {"openssl": Tool(["openssl", "version"], "openssl", oldest="3.0")}
    metrics: ClassVar = Metrics(
        outbound_cpu=Metric(
            "ns", "processor time to encrypt and authenticate one packet (index: round)", "cost"
        ),
        inbound_cpu=Metric(
            "ns", "processor time to check and decrypt one packet (index: round)", "cost"
        ),
        outbound_rate=Metric(
            "MB/s",
            "payload that one processor encrypts and authenticates in a second of its time "
            "(index: round)",
            "cost",
        ),
        inbound_rate=Metric(
            "MB/s",
            "payload that one processor checks and decrypts in a second of its time (index: round)",
            "cost",
        ),
        process_share=Metric(
            "%",
            "processor time of the process in the time that passed, both directions (index: round)",
            "share",
            # The two are read one after the other.
            most=200,
        ),
        packet_size=Metric("B", "packet as ESP or AH lays it out", "size"),
        known_answers=Metric(
            "", "algorithms of the suite that gave the answer which their standard prints", "count"
        ),
        aes_instructions=Metric(
            "", "1 if libcrypto uses AES instructions of the processor, 0 if not", "label"
        ),
        library_version=Metric("", "version of OpenSSL's libcrypto: 30605 is 3.6.5", "label"),
    )

    host: HostName
    """host whose processor is measured"""
    suite: Literal[
        "ah-md5",
        "ah-sha1",
        "ah-sha256",
        "des-md5",
        "des-sha1",
        "3des-md5",
        "3des-sha1",
        "aes128-md5",
        "aes128-sha1",
        "aes128-sha256",
        "aes256-md5",
        "aes256-sha1",
        "aes256-sha256",
        "aes128gcm16",
        "aes256gcm16",
        "chacha20poly1305",
    ]
    """suite of ESP, or of AH, as in a proposal of swanctl.conf(5)"""
    instructions: Literal["as-they-are", "masked"] = "as-they-are"
    """masked: libcrypto is told that the processor has no AES instructions, and none that multiply
    without carry (for GCM); only on x86"""
    library: Literal["own", "machine", "image"] = "own"
    """whose libcrypto: the host's own, or one that is brought to the host: of the machine that
    measures, or of the guest image"""
    payload: int = Field(ge=1, le=9000)
    """payload of each packet [bytes]"""
    milliseconds: int = Field(20, ge=1, le=10_000)
    """least processor time of each round and direction [ms]"""
    rounds: int = Field(3, ge=1, le=1000)
    """how often both directions are measured in one run, after a warm-up each time"""

    def seconds(self) -> float:
        return 2e-3 * self.rounds * (self.milliseconds + 2)

    def build(self) -> None:
        program = get_program(PROGRAM)
        if self.library != "own":
            get_libraries(self.library, program)

    def prepare(self, bench: Bench) -> None:
        remote = bench.remotes[self.host]
        bring(remote, PROGRAM, _PLACE)
        if self.library != "own":
            bring_libraries(remote, self._folder, self._libraries())

    @property
    def _folder(self) -> str:
        """The host's folder for a library that is brought to it."""
        return f"{_PLACE}-{self.library}"

    def _libraries(self) -> Libraries:
        assert self.library != "own"
        return get_libraries(self.library, get_program(PROGRAM))

    def _with_library(self) -> tuple[list[str], list[str]]:
        """Variables of env(1), and the words before the program's path, by which it runs with its
        library."""
        if self.library == "own":
            return [], []
        loader = f"{self._folder}/{self._libraries().loader}"
        return [f"OPENSSL_MODULES={self._folder}"], [loader, "--library-path", self._folder]

    def measure(self, bench: Bench, stem: str) -> None:
        masking = [_VARIABLE] if self.instructions == "masked" else ["-u", "OPENSSL_ia32cap"]
        variables, loading = self._with_library()
        asked = f"measure {self.suite} {self.payload} {self.milliseconds} {self.rounds}"
        command = ["env", *masking, *variables, *loading, _PLACE, *asked.split(), self.instructions]
        text = bench.remotes[self.host].run(command, timeout=20 * self.seconds() + 15)
        bench.save(f"{stem}.log", text)

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        yield from read_log(file, content)

    def require_complete(self, file: str, content: bytes) -> None:
        last = max(self.parse(file, content), key=lambda value: (value.index, value.line))
        if last.index + 1 != self.rounds:
            raise LogError(file, last.line, f"{last.index + 1} rounds", f"{self.rounds}")

    def settings_in_log(self, file: str) -> Mapping[str, object]:
        wanted: dict[str, object] = {
            rf"^{name} (\S+)$": getattr(self, name) for name in ("instructions", "suite", "payload")
        }
        if self.library != "own":  # a log of version 1 has another line there
            wanted[r"^library .*\n(?:loaded )?(.*)$"] = f"{self._folder}/{_LIBRARY}"
        return wanted

    def agree(
        self, name: str, observations: list[Observation], tunnel: Tunnel | None
    ) -> list[Check]:
        """The proof of treatment: the suite's algorithms are right, and masked instructions are
        off."""
        found = {o.metric: int(o.value) for o in observations}
        one = "-" not in self.suite or self.suite.startswith("ah-")
        checks = [
            equal("cipher", f"{name}: known answers", found["known_answers"], 1 if one else 2)
        ]
        if self.instructions == "masked":
            aes = found["aes_instructions"]
            checks.append(equal("cipher", f"{name}: AES instructions", aes, 0))
        return checks
