"""Processor time of encryption and authentication, packet by packet, by OpenSSL's libcrypto.

The program (env/cipher-cost/cipher-cost.c) makes packets as ESP and AH lay them out, without
IPsec, network or root, and counts the processor time of its own process. Before it measures it
compares its algorithms with the answers that their standards print, and checks that packets come
back as they were and are refused if a byte has changed. Its log:

    cipher-cost 1
    library OpenSSL 3.6.5 27 Oct 2026
    settings OPENSSL_ia32cap=0x...:0x...      what libcrypto believes of the processor
    instructions as-they-are
    suite aes128-sha1
    payload 64                                bytes that a packet carries
    known AES-128-CBC: RFC 3602, case 1       an answer that was right
    known SHA1: RFC 2202, HMAC-SHA-1, case 1
    packet 116                                the packet's bytes
    round 1 outbound 9216 packets 20143310 cpu_ns 20151022 wall_ns
    round 1 inbound ...
    end
"""

import re
from collections.abc import Iterable
from typing import ClassVar, Literal

from pydantic import Field

from remeasure.checks import Check, equal
from remeasure.ipsec.tunnel import Tunnel
from remeasure.probes.base import Bench, LogError, Probe, text_lines
from remeasure.probes.metrics import Metric, Metrics, Observation, Value
from remeasure.testbed.programs import bring, get_program
from remeasure.testbed.tools import Tool
from remeasure.topology import HostName

PROGRAM = "cipher-cost"
MASK = (1 << 57 | 1 << 33, 1 << 42 | 1 << 41)
"""bits of the first two words of OPENSSL_ia32cap(3): AES-NI and PCLMULQDQ; VPCLMULQDQ and VAES"""
_AES = (1 << 57, 1 << 41)
"""the bits of the instructions that compute AES"""
_ARM_AES = 1 << 2
"""the bit of AES in OPENSSL_armcap (include/crypto/arm_arch.h of OpenSSL: ARMV8_AES)"""
_VARIABLE = "OPENSSL_ia32cap=" + ":".join(f"~{word:#x}" for word in MASK)
_PLACE = "/run/cipher-cost"
_HEAD = (
    ("program", re.compile(r"cipher-cost 1"), "'cipher-cost 1'"),
    ("library", re.compile(r"library (OpenSSL \S.*)"), "'library OpenSSL <version>'"),
    ("settings", re.compile(r"settings (\S.*)"), "'settings <what libcrypto believes>'"),
    ("instructions", re.compile(r"instructions (as-they-are|masked)"), "'instructions ...'"),
    ("suite", re.compile(r"suite ([\w-]+)"), "'suite <name>'"),
    ("payload", re.compile(r"payload ([1-9]\d*)"), "'payload <bytes>'"),
)
"""name, form and description of the first lines, in order"""
_KNOWN = re.compile(r"known [\w-]+: \S.*")
_PACKET = re.compile(r"packet ([1-9]\d*)")
_ROUND = re.compile(
    r"round ([1-9]\d*) (outbound|inbound) ([1-9]\d*) packets ([1-9]\d*) cpu_ns ([1-9]\d*) wall_ns"
)
_X86 = re.compile(r"OPENSSL_ia32cap=(0x[0-9a-f]+):(0x[0-9a-f]+)(?::0x[0-9a-f]+)*(?: env:\S*)?")
_ARM = re.compile(r"OPENSSL_armcap=(0x[0-9a-f]+)(?: env:\S*)?")


class Cipher(Probe):
    """Packets of one suite and size, protected and opened again within one process."""

    kind: ClassVar = "cipher"
    size_fields: ClassVar = frozenset({"payload"})
    cost_fields: ClassVar = frozenset({"suite", "instructions"})
    needs_machine: ClassVar = True
    tools: ClassVar = {"openssl": Tool(["openssl", "version"], oldest="3.0")}
    metrics: ClassVar = Metrics(
        outbound_cpu=Metric(
            "ns",
            "processor time to encrypt and authenticate one packet (index: round)",
        ),
        inbound_cpu=Metric("ns", "processor time to check and decrypt one packet (index: round)"),
        outbound_rate=Metric(
            "MB/s",
            "payload that one processor encrypts and authenticates in a second of its time "
            "(index: round)",
        ),
        inbound_rate=Metric(
            "MB/s",
            "payload that one processor checks and decrypts in a second of its time (index: round)",
        ),
        process_share=Metric(
            "%",
            "processor time of the process in the time that passed, both directions (index: round)",
            # The two are read one after the other.
            most=200,
        ),
        packet_size=Metric("B", "packet as ESP or AH lays it out"),
        known_answers=Metric(
            "", "algorithms of the suite that gave the answer which their standard prints"
        ),
        aes_instructions=Metric(
            "", "1 if libcrypto uses AES instructions of the processor, 0 if not"
        ),
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
    payload: int = Field(ge=1, le=9000)
    """bytes that each packet carries"""
    milliseconds: int = Field(20, ge=1, le=10_000)
    """least processor time of each round and direction [ms]"""
    rounds: int = Field(3, ge=1, le=1000)
    """how often both directions are measured in one run, after a warm-up each time"""

    def seconds(self) -> float:
        return 2e-3 * self.rounds * (self.milliseconds + 2)

    @classmethod
    def build(cls) -> None:
        get_program(PROGRAM)

    def prepare(self, bench: Bench) -> None:
        bring(bench.remotes[self.host], PROGRAM, _PLACE)

    def measure(self, bench: Bench, stem: str) -> None:
        masking = [_VARIABLE] if self.instructions == "masked" else ["-u", "OPENSSL_ia32cap"]
        text = bench.remotes[self.host].run(
            [
                "env",
                *masking,
                _PLACE,
                "measure",
                self.suite,
                str(self.payload),
                str(self.milliseconds),
                str(self.rounds),
                self.instructions,
            ],
            timeout=20 * self.seconds() + 15,
        )
        bench.save(f"{stem}.log", text)

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        lines = text_lines(file, content)
        head = _head(file, lines)
        yield Value("aes_instructions", _aes(file, head["settings"]), _line_of("settings"))
        payload, number = int(head["payload"]), len(_HEAD)
        while number < len(lines) and _KNOWN.fullmatch(lines[number]):
            number += 1
        if number == len(_HEAD):
            raise LogError(file, number + 1, _at(lines, number), "'known <algorithm>: <source>'")
        yield Value("known_answers", number - len(_HEAD), number)
        packet = _PACKET.fullmatch(_at(lines, number))
        if not packet or int(packet[1]) <= payload:
            raise LogError(
                file, number + 1, _at(lines, number), f"'packet <bytes>', more than {payload}"
            )
        yield Value("packet_size", int(packet[1]), number + 1)
        yield from _rounds(file, lines, number + 1, payload)

    def require_complete(self, file: str, content: bytes) -> None:
        last = max(value.index for value in self.parse(file, content))
        lines = text_lines(file, content)
        head = _head(file, lines)
        for field in ("instructions", "suite", "payload"):
            if head[field] != str(getattr(self, field)):
                raise LogError(
                    file, _line_of(field), head[field], f"{field} {getattr(self, field)}"
                )
        if last + 1 != self.rounds:
            raise LogError(file, len(lines), f"{last + 1} rounds", f"{self.rounds}")

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


def _at(lines: list[str], index: int) -> str:
    return lines[index] if index < len(lines) else "the end of the file"


def _line_of(field: str) -> int:
    """The number of a line of the head, from 1."""
    return 1 + [name for name, _, _ in _HEAD].index(field)


def _head(file: str, lines: list[str]) -> dict[str, str]:
    """The values of the first lines by name. Raises LogError; also if instructions should be
    masked, and libcrypto still believes in one of them."""
    head = {}
    for index, (name, form, expected) in enumerate(_HEAD):
        match = form.fullmatch(_at(lines, index))
        if not match:
            raise LogError(file, index + 1, _at(lines, index), expected)
        head[name] = match[match.lastindex or 0]
    if head["instructions"] == "masked":
        match = _X86.fullmatch(head["settings"])
        if not match or _has_any(match, MASK):
            raise LogError(
                file,
                _line_of("settings"),
                head["settings"],
                "OPENSSL_ia32cap without AES-NI, PCLMULQDQ, VAES, VPCLMULQDQ",
            )
    return head


def _has_any(words: re.Match, bits: tuple[int, int]) -> bool:
    """Whether one of the bits of the first two words of OPENSSL_ia32cap is set."""
    return any(int(word, 16) & mask for word, mask in zip(words.groups(), bits, strict=True))


def _aes(file: str, settings: str) -> int:
    """1 if libcrypto believes that the processor has AES instructions, 0 if not. Raises LogError
    for settings of an unknown form."""
    if match := _X86.fullmatch(settings):
        return int(_has_any(match, _AES))
    if match := _ARM.fullmatch(settings):
        return int(bool(int(match[1], 16) & _ARM_AES))
    raise LogError(
        file, _line_of("settings"), settings, "OPENSSL_ia32cap=0x...:0x... or OPENSSL_armcap=0x..."
    )


def _rounds(file: str, lines: list[str], begin: int, payload: int) -> Iterable[Value]:
    """Values of the lines from index `begin` on. Raises LogError unless they are whole rounds,
    numbered from 1, and an end."""
    index = 0
    while _at(lines, begin) != "end":
        spent = passed = 0
        directions = set()
        for number in (begin, begin + 1):
            match = _ROUND.fullmatch(_at(lines, number))
            if not match or int(match[1]) != index + 1 or match[2] in directions:
                raise LogError(
                    file,
                    number + 1,
                    _at(lines, number),
                    f"'round {index + 1} outbound|inbound <n> packets <n> cpu_ns <n> wall_ns', "
                    "each direction once",
                )
            directions.add(match[2])
            packets, cpu_ns, wall_ns = (int(match[group]) for group in (3, 4, 5))
            spent, passed = spent + cpu_ns, passed + wall_ns
            yield Value(f"{match[2]}_cpu", cpu_ns / packets, number + 1, index)
            yield Value(f"{match[2]}_rate", 1e3 * payload * packets / cpu_ns, number + 1, index)
        yield Value("process_share", 100 * spent / passed, begin + 2, index)
        begin, index = begin + 2, index + 1
    wrong = begin if index == 0 else begin + 1
    if index == 0 or wrong != len(lines):
        raise LogError(file, wrong + 1, _at(lines, wrong), "rounds, then 'end' alone")
