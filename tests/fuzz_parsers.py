"""Try changed logs on all parsers, for as long as one likes:

    env/run python tests/fuzz_parsers.py --seconds 600

Real logs (tests/fixtures) are changed at random: bytes and lines, one number, one digit or one
character; the listed contradictions (probes/contradictions.yaml) have to be refused all the while.
A parser may refuse a log or read it. What it must not do is printed, and ends the program with
status 1: any other exception, or reading a changed number, digit or character as the tests of
probes/test_printed_twice.py forbid.
"""

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

import zstandard

sys.path.insert(0, str(Path(__file__).parent / "probes"))

from contradicting import contradictions
from printed_twice import PARSERS, other_script, strange, ten_times
from test_any_bytes import REAL

from remeasure.probes import PROBES
from remeasure.probes.base import LogError

PIECES = [b"", b"\n", b"\0", b"-1", b"nan", b"1e999", b"9" * 400, b"0", b"0.1.2", b"[" * 3000]
PIECES += [b"null", b"true", b"{}", b"\xff\xfe", b"\xd9\xa3", b"\x1b[31m", b"\r\n", b"999999999"]
LISTED = list(contradictions())
CHANGES = ("bytes", "number", "digit", "character", "contradiction")


def with_bytes(content: bytes, chance: random.Random) -> bytes:
    """A content with pieces changed, and lines left out, doubled or in another order."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(content))
        end = min(at + chance.choice([0, 1, 2, 8, 100]), len(content))
        piece = chance.choice([*PIECES, chance.randbytes(chance.randint(1, 8))])
        content = content[:at] + piece + content[end:]
    lines = content.splitlines(keepends=True)
    if lines and chance.random() < 0.3:
        one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[one], lines[other] = chance.choice([(lines[other],) * 2, (lines[other], lines[one])])
        content = b"".join(lines)
    return content


def of_bytes(chance: random.Random) -> str:
    """Any log of any probe, captures too."""
    probe = chance.choice(list(PROBES))
    log = chance.choice(REAL[probe])
    content = log.read_bytes()
    if log.suffix == ".zst":
        content = zstandard.ZstdDecompressor().stream_reader(content).read()
        content = zstandard.compress(with_bytes(content, chance))
    else:
        content = with_bytes(content, chance)
    try:
        list(PROBES[probe].parse(log.name, content))
    except LogError:
        return "refused"
    return "read"


def of_text(change: str, chance: random.Random) -> str:
    """A text in which one number, digit or character is another."""
    name = chance.choice(list(PARSERS))
    parser = PARSERS[name]
    log = chance.choice(parser.logs)
    text, line = log.read_text(), ""
    if change == "number":
        changed, line = ten_times(text, chance.randrange)
    else:
        changed = (other_script if change == "digit" else strange)(text, chance.randrange)
    try:
        found = parser.read(log.name, changed.encode())
    except parser.error:
        return "refused"
    if change != "number":
        return f"WRONG: {name}: {log.name}: read"
    if parser.once.search(line):
        return "read, printed once"
    same = found == parser.read(log.name, log.read_bytes())
    return "read, nothing depends on it" if same else f"WRONG: {name}: {log.name}: {line}"


def of_contradictions(chance: random.Random) -> str:
    listed = chance.choice(LISTED)
    try:
        list(PROBES[listed.probe].parse(listed.name, listed.content))
    except LogError:
        return "refused"
    return f"WRONG: {listed.probe}: {listed.what}: read"


def tried(change: str, chance: random.Random) -> str:
    """What came of one change."""
    try:
        if change == "bytes":
            return of_bytes(chance)
        return of_contradictions(chance) if change == "contradiction" else of_text(change, chance)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return f"WRONG: {type(error).__name__}: {error}"[:300]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seconds", type=float, default=600, help="how long (600)")
    arguments.add_argument("--seed", type=int, default=0, help="another one, other changes (0)")
    given = arguments.parse_args()
    chance, outcomes = random.Random(given.seed), Counter()
    slowest, end = 0.0, time.monotonic() + given.seconds
    while time.monotonic() < end:
        change, begin = chance.choice(CHANGES), time.process_time()
        outcome = tried(change, chance)
        slowest = max(slowest, time.process_time() - begin)
        if outcome.startswith("WRONG") and not outcomes[change, outcome]:
            print(change, outcome, flush=True)
        outcomes[change, outcome] += 1
    for (change, outcome), count in sorted(outcomes.items()):
        print(f"{count:9} {change:15} {outcome}")
    print(f"{sum(outcomes.values()):9} in all; the slowest took {slowest:.2f} s of the processor")
    sys.exit(any(outcome.startswith("WRONG") for _, outcome in outcomes))


if __name__ == "__main__":
    main()
