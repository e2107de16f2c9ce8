"""Reading the log of the program of probe `cipher` (env/cipher-cost/cipher-cost.c):

    cipher-cost 2
    library OpenSSL 3.6.5 27 Oct 2026
    loaded /run/cipher-cost-image/libcrypto.so.3   the file that it has libcrypto from
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

Version 1 of the program does not say what it has loaded: it ran with the host's own library.
"""

import re
from collections.abc import Iterable

from remeasure.bench.probes.base import LogError, text_lines
from remeasure.bench.probes.metrics import Value

MASK = (1 << 57 | 1 << 33, 1 << 42 | 1 << 41)
"""bits of the first two words of OPENSSL_ia32cap(3): AES-NI and PCLMULQDQ; VPCLMULQDQ and VAES"""
_AES = (1 << 57, 1 << 41)
"""the bits of the instructions that compute AES"""
_ARM_AES = 1 << 2
"""the bit of AES in OPENSSL_armcap (include/crypto/arm_arch.h of OpenSSL: ARMV8_AES)"""
_VERSION = re.compile(r"OpenSSL ([0-9]+)\.([0-9]+)\.([0-9]+)")
_LOADED = ("loaded", re.compile(r"loaded (/\S+)"), "'loaded <path>'")
_HEAD = (
    ("program", re.compile(r"cipher-cost ([12])"), "'cipher-cost 2'"),
    (
        "library",
        re.compile(r"library (OpenSSL [0-9]+\.[0-9]+\.[0-9]+.*)"),
        "'library OpenSSL <version>'",
    ),
    _LOADED,
    ("settings", re.compile(r"settings (\S.*)"), "'settings <what libcrypto believes>'"),
    ("instructions", re.compile(r"instructions (as-they-are|masked)"), "'instructions ...'"),
    ("suite", re.compile(r"suite ([a-z0-9-]+)"), "'suite <name>'"),
    ("payload", re.compile(r"payload ([1-9][0-9]*)"), "'payload <bytes>'"),
)
"""name, form and description of the first lines, in order; version 1 lacks _LOADED"""
_KNOWN = re.compile(r"known [A-Za-z0-9_-]+: \S.*")
_PACKET = re.compile(r"packet ([1-9][0-9]*)")
_ROUND = re.compile(
    r"round ([1-9][0-9]*) (outbound|inbound) ([1-9][0-9]*) packets ([1-9][0-9]*) cpu_ns "
    r"([1-9][0-9]*) wall_ns"
)
_X86 = re.compile(r"OPENSSL_ia32cap=(0x[0-9a-f]+):(0x[0-9a-f]+)(?::0x[0-9a-f]+)*(?: env:\S*)?")
_ARM = re.compile(r"OPENSSL_armcap=(0x[0-9a-f]+)(?: env:\S*)?")


def read_log(file: str, content: bytes) -> Iterable[Value]:
    """Yield the values in a log. Raises LogError."""
    lines = text_lines(file, content)
    head, ahead = read_head(file, lines), len(_forms(lines))
    aes = _aes(file, lines, head["settings"])
    yield Value("aes_instructions", aes, line_of("settings", lines))
    yield Value("library_version", _version(head["library"]), line_of("library", lines))
    payload, number = int(head["payload"]), ahead
    while number < len(lines) and _KNOWN.fullmatch(lines[number]):
        number += 1
    if number == ahead:
        raise LogError(file, number + 1, _at(lines, number), "'known <algorithm>: <source>'")
    yield Value("known_answers", number - ahead, number)
    packet = _PACKET.fullmatch(_at(lines, number))
    if not packet or int(packet[1]) <= payload:
        raise LogError(
            file, number + 1, _at(lines, number), f"'packet <bytes>', more than {payload}"
        )
    yield Value("packet_size", int(packet[1]), number + 1)
    yield from _rounds(file, lines, number + 1, payload)


def _at(lines: list[str], index: int) -> str:
    return lines[index] if index < len(lines) else "the end of the file"


def _forms(lines: list[str]) -> list[tuple[str, re.Pattern[str], str]]:
    """The lines of the head of a log, by the version in its first."""
    old = _at(lines, 0) == "cipher-cost 1"
    return [line for line in _HEAD if not (old and line is _LOADED)]


def line_of(field: str, lines: list[str]) -> int:
    """The number of a line of the head, from 1; 1 for a line that the head lacks."""
    names = [name for name, _, _ in _forms(lines)]
    return 1 + names.index(field) if field in names else 1


def _version(library: str) -> int:
    """What `OpenSSL_version` says as the metric library_version has it."""
    major, minor, patch = map(int, _VERSION.match(library).groups())  # type: ignore[union-attr]
    return 10_000 * major + 100 * minor + patch


def read_head(file: str, lines: list[str]) -> dict[str, str]:
    """The values of the first lines by name. Raises LogError; also if instructions should be
    masked, and libcrypto still believes in one of them."""
    head = {}
    for index, (name, form, expected) in enumerate(_forms(lines)):
        match = form.fullmatch(_at(lines, index))
        if not match:
            raise LogError(file, index + 1, _at(lines, index), expected)
        head[name] = match[match.lastindex or 0]
    if head["instructions"] == "masked":
        match = _X86.fullmatch(head["settings"])
        if not match or _has_any(match, MASK):
            raise LogError(
                file,
                line_of("settings", lines),
                head["settings"],
                "OPENSSL_ia32cap without AES-NI, PCLMULQDQ, VAES, VPCLMULQDQ",
            )
    return head


def _has_any(words: re.Match[str], bits: tuple[int, int]) -> bool:
    """Whether one of the bits of the first two words of OPENSSL_ia32cap is set."""
    return any(int(word, 16) & mask for word, mask in zip(words.groups(), bits, strict=True))


def _aes(file: str, lines: list[str], settings: str) -> int:
    """1 if libcrypto believes that the processor has AES instructions, 0 if not. Raises LogError
    for settings of an unknown form."""
    if match := _X86.fullmatch(settings):
        return int(_has_any(match, _AES))
    if match := _ARM.fullmatch(settings):
        return int(bool(int(match[1], 16) & _ARM_AES))
    raise LogError(
        file,
        line_of("settings", lines),
        settings,
        "OPENSSL_ia32cap=0x...:0x... or OPENSSL_armcap=0x...",
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
