"""Processor time of encryption and authentication, packet by packet, by OpenSSL's libcrypto.

The program (env/cipher-cost/cipher-cost.c) makes packets in the layout of ESP and AH, without
IPsec, network or root, and counts the processor time of its own process. Before it measures it
compares its algorithms with the answers in their standards, and checks that packets come back
unchanged and are refused if a byte has changed.

    cipher-cost 2
    library OpenSSL 3.6.5 27 Oct 2026
    loaded /run/cipher-cost-image/libcrypto.so.3   its file of libcrypto
    settings OPENSSL_ia32cap=0x...:0x...      the processor in the view of libcrypto
    instructions as-they-are
    suite aes128-sha1
    payload 64                                payload of a packet [bytes]
    known AES-128-CBC: RFC 3602, case 1       an answer that was right
    known SHA1: RFC 2202, HMAC-SHA-1, case 1
    packet 116                                the packet's bytes
    round 1 outbound 9216 packets 20143310 cpu_ns 20151022 wall_ns
    round 1 inbound ...
    end

Version 1 of the program has no line `loaded`: it ran with the host's own library.
"""

import re
from collections.abc import Iterable
from typing import ClassVar, Literal

from pydantic import Field

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.topology import HostName
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.lab.libraries import Libraries, bring_libraries, get_libraries
from remeasure.bench.probes.base import Bench, LogError, Probe, text_lines
from remeasure.bench.probes.metrics import Observation, Value, declare
from remeasure.bench.testbed.programs import bring, get_program
from remeasure.bench.testbed.tools import Tool

MASK = (1 << 57 | 1 << 33, 1 << 42 | 1 << 41)
"""bits of the first two words of OPENSSL_ia32cap(3): AES-NI and PCLMULQDQ; VPCLMULQDQ and VAES"""
_AES = (1 << 57, 1 << 41)
"""the bits of the instructions that compute AES"""
_ARM_AES = 1 << 2
"""the bit of AES in OPENSSL_armcap (include/crypto/arm_arch.h of OpenSSL: ARMV8_AES)"""
_FORMS = {
    "cipher-cost": re.compile(r"cipher-cost [12]"),
    "library": re.compile(r"library OpenSSL ([0-9]+)\.([0-9]+)\.([0-9]+).*"),
    "loaded": re.compile(r"loaded /\S+"),
    "settings": re.compile(r"settings (\S.*)"),
    "instructions": re.compile(r"instructions (as-they-are|masked)"),
    "suite": re.compile(r"suite [a-z0-9-]+"),
    "payload": re.compile(r"payload ([1-9][0-9]*)"),
    "known": re.compile(r"known [A-Za-z0-9_-]+: \S.*"),
    "packet": re.compile(r"packet ([1-9][0-9]*)"),
    "round": re.compile(
        r"round [1-9][0-9]* (outbound|inbound) ([1-9][0-9]*) packets ([1-9][0-9]*) cpu_ns "
        r"([1-9][0-9]*) wall_ns"
    ),
    "end": re.compile("end"),
}
"""first word of a line of the log -> its form"""
_X86 = re.compile(r"OPENSSL_ia32cap=(0x[0-9a-f]+):(0x[0-9a-f]+)(?::0x[0-9a-f]+)*(?: env:\S*)?")
_ARM = re.compile(r"OPENSSL_armcap=(0x[0-9a-f]+)(?: env:\S*)?")
PROGRAM = "cipher-cost"
_VARIABLE = "OPENSSL_ia32cap=" + ":".join(f"~{word:#x}" for word in MASK)
_PLACE = "/run/cipher-cost"


class Cipher(Probe):
    """Packets of one suite and size, protected and opened again within one process."""

    kind: ClassVar = "cipher"
    takes_ipv6: ClassVar = True
    size_fields: ClassVar = frozenset({"payload"})
    cost_fields: ClassVar = frozenset({"suite", "instructions"})
    needs_machine: ClassVar = True
    tools: ClassVar = {"openssl": Tool(["openssl", "version"], "openssl", oldest="3.0")}
    metrics: ClassVar = declare(
        {
            "outbound_cpu: cost [ns]": "processor time to encrypt and authenticate one packet "
            "(index: round)",
            "inbound_cpu: cost [ns]": "processor time to check and decrypt one packet (index: "
            "round)",
            "outbound_rate: cost [MB/s]": "payload that one processor encrypts and authenticates "
            "in a second of its time (index: round)",
            "inbound_rate: cost [MB/s]": "payload that one processor checks and decrypts in a "
            "second of its time (index: round)",
            # The two are read one after the other, hence more than 100.
            "process_share: share [%], at most 200": "processor time of the process in the time "
            "that passed, both directions (index: round)",
            "packet_size: size [B]": "packet as ESP or AH lays it out",
            "known_answers: count": "algorithms of the suite that gave the answer which their "
            "standard prints",
            "aes_instructions: label": "1 if libcrypto uses AES instructions of the processor, 0 "
            "if not",
            "library_version: label": "version of OpenSSL's libcrypto: 30605 is 3.6.5",
        }
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
    """masked: libcrypto takes the processor to have no AES instructions, and none that multiply
    without carry (for GCM); only on x86"""
    library: Literal["own", "machine", "image"] = "own"
    """origin of libcrypto: the host's own, or brought to the host from the machine that measures,
    or from the guest image"""
    payload: int = Field(ge=1, le=9000)
    """payload of each packet [bytes]"""
    milliseconds: int = Field(20, ge=1, le=10_000)
    """least processor time of each round and direction [ms]"""
    rounds: int = Field(3, ge=1, le=1000)
    """how often both directions are measured in one run, after a warm-up each time"""

    def seconds(self) -> float:
        return 2e-3 * self.rounds * (self.milliseconds + 2)

    def _brought(self) -> Libraries | None:
        """The library brought to the host; None for the host's own."""
        return None if self.library == "own" else get_libraries(self.library, get_program(PROGRAM))

    @property
    def _folder(self) -> str:
        """The host's folder for a library that is brought to it."""
        return f"{_PLACE}-{self.library}"

    def build(self) -> None:
        get_program(PROGRAM)
        self._brought()

    def prepare(self, bench: Bench) -> None:
        remote = bench.remotes[self.host]
        bring(remote, PROGRAM, _PLACE)
        if libraries := self._brought():
            bring_libraries(remote, self._folder, libraries)

    def measure(self, bench: Bench, stem: str) -> None:
        masked = self.instructions == "masked"
        command = ["env", *([_VARIABLE] if masked else ["-u", "OPENSSL_ia32cap"])]
        if libraries := self._brought():
            loader = f"{self._folder}/{libraries.loader}"
            command += [f"OPENSSL_MODULES={self._folder}", loader, "--library-path", self._folder]
        asked = f"measure {self.suite} {self.payload} {self.milliseconds} {self.rounds}"
        command += [_PLACE, *asked.split(), self.instructions]
        text = bench.remotes[self.host].run(command, timeout=20 * self.seconds() + 15)
        bench.save(f"{stem}.log", text)

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        lines, found = text_lines(file, content), dict[str, tuple[re.Match[str], int]]()
        rounds, known = list[tuple[re.Match[str], int]](), 0
        for number, line in enumerate(lines, 1):
            name = line.partition(" ")[0]
            match = _FORMS[name].fullmatch(line) if name in _FORMS else None
            if match is None:
                raise LogError(file, number, line, f"a line of {PROGRAM}")
            found[name], known = (match, number), known + (name == "known")
            rounds += [(match, number)] * (name == "round")
        missing = sorted(_FORMS.keys() - found.keys() - {"loaded"})
        if missing or lines[-1] != "end" or len(rounds) % 2:
            expected = f"{', '.join(missing) or 'both directions of each round'}, then 'end'"
            raise LogError(file, len(lines), lines[-1], expected)
        settings, line_of_settings = found["settings"]
        masked = found["instructions"][0][1] == "masked"
        aes = _aes(file, line_of_settings, settings[1], masked)
        yield Value("aes_instructions", aes, line_of_settings)
        (library, line_of_library), (packet, line_of_packet) = found["library"], found["packet"]
        major, minor, patch = map(int, library.groups())
        version = 10_000 * major + 100 * minor + patch
        yield Value("library_version", version, line_of_library)
        yield Value("known_answers", known, found["known"][1])
        yield Value("packet_size", int(packet[1]), line_of_packet)
        yield from _rounds(rounds, int(found["payload"][0][1]))

    def require_complete(self, file: str, content: bytes) -> None:
        last = max(self.parse(file, content), key=lambda value: (value.index, value.line))
        if last.index + 1 != self.rounds:
            raise LogError(file, last.line, f"{last.index + 1} rounds", f"{self.rounds}")

    def agree(self, name: str, observed: list[Observation], tunnel: Tunnel | None) -> list[Check]:
        """The proof of treatment: the suite's algorithms are right, and masked instructions are
        off."""
        found = {o.metric: int(o.value) for o in observed}
        one = "-" not in self.suite or self.suite.startswith("ah-")
        checks = [
            equal("cipher", f"{name}: known answers", found["known_answers"], 1 if one else 2)
        ]
        if self.instructions == "masked":
            aes = found["aes_instructions"]
            checks.append(equal("cipher", f"{name}: AES instructions", aes, 0))
        return checks


def _aes(file: str, line: int, settings: str, masked: bool) -> int:
    """1 if libcrypto takes the processor to have AES instructions, 0 if not. Raises LogError for
    settings of an unknown form, and if instructions should be masked and one is not."""
    if match := _X86.fullmatch(settings):
        words = [int(word, 16) for word in match.groups()]
        if masked and any(word & mask for word, mask in zip(words, MASK, strict=True)):
            expected = "OPENSSL_ia32cap without AES-NI, PCLMULQDQ, VAES, VPCLMULQDQ"
            raise LogError(file, line, settings, expected)
        return int(any(word & bit for word, bit in zip(words, _AES, strict=True)))
    match = _ARM.fullmatch(settings)
    if match is None or masked:
        expected = "OPENSSL_ia32cap=0x...:0x... or OPENSSL_armcap=0x..."
        raise LogError(file, line, settings, expected)
    return int(bool(int(match[1], 16) & _ARM_AES))


def _rounds(rounds: list[tuple[re.Match[str], int]], payload: int) -> Iterable[Value]:
    """Values of the rounds, whose lines are of both directions in turn."""
    for index, pair in enumerate(zip(rounds[::2], rounds[1::2], strict=True)):
        spent = passed = line = 0
        for match, line in pair:
            packets, cpu_ns, wall_ns = (int(match[group]) for group in (2, 3, 4))
            spent, passed = spent + cpu_ns, passed + wall_ns
            yield Value(f"{match[1]}_cpu", cpu_ns / packets, line, index)
            yield Value(f"{match[1]}_rate", 1e3 * payload * packets / cpu_ns, line, index)
        yield Value("process_share", 100 * spent / passed, line, index)
