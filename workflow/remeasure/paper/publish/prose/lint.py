"""What a machine can see of the paper's prose: a direction that names no data, a digit that comes
from the keyboard."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.paper.notebook.number import Numbers
from remeasure.paper.publish.prose.constants import CONSTANTS
from remeasure.paper.publish.prose.source import Source
from remeasure.paper.publish.prose.visible_words import printed

APART = ("main.tex", "checked.tex", CONSTANTS)
"""files of the paper that are no prose"""
NO_RESULTS = re.compile(r"% no results: *(\S.*)")
"""first line of a file without results, with the reason; its words of direction are free"""
_GRADED = "fast slow long short high low larg small great wid narrow cheap dear steep strong weak"
DIRECTION = re.compile(
    rf"""\b(?:
    more | less | fewer | (?<!at[\s~])(?:most|least) | best | better | worst | worse
    | (?:{_GRADED.replace(" ", "|")})e(?:r|st)
    | twice | thrice | times[\s~]as | half[\s~]as
    | as[\s~](?:much|many|fast|long|high|large|small|slow)[\s~]as
    | doubles? | doubled | triples? | tripled | halves | halved
    | equal | equals | equally | same | identical | alike | unchanged | differs? | differed
    | no[\s~](?:measurable[\s~]|such[\s~])?(?:difference|effect|influence|gain|loss) | negligible
    | exceeds? | exceeded | outweighs? | dominates? | outperforms? | beats? | overtakes? | wins?
    | grows? | grew | falls? | fell | rises? | rose | increases? | increased | decreases?
    | decreased | reduces? | reduced | improves? | improved | degrades? | degraded | worsens?
    | worsened | slows | slowed | vanish(?:es|ed)? | disappears? | disappeared | collapses?
    | collapsed
    )\b""",
    flags=re.VERBOSE | re.IGNORECASE,
)
"""words that state a direction, an order, or that there is no difference"""
TERMS = re.compile(r"smallest\s+effect\s+that\s+matters|no\s+longer")
"""what has such a word and states none: our own term, and a matter of time"""
NAMES = re.compile(
    r"""(?<![\w.])(?:
    IKEv[12] | IPv[46] | TLS[ ~]1\.[0-3] | MSCHAPv2 | RFC[ ~]\d{3,4} | IEEE[ ~]802\.1[A-Z]*
    | 3DES | (?:EAP-|HMAC-)?MD[45] | (?:HMAC-)?SHA-?(?:1|2|3|256|384|512)(?:-\d+)?
    | AES-(?:128|192|256)(?:-(?:GCM|CBC|CTR|CCM)(?:-\d+)?)? | ChaCha20(?:-Poly1305)? | Poly1305
    | RSA-\d{4} | P-(?:256|384|521) | X25519 | Curve25519 | Ed25519 | ML-KEM-(?:512|768|1024)
    | AVX(?:2|-512) | x86(?:-64)? | iperf[ ~]?[23] | Layer[ ~][23] | L2TP | CC[ ~-]BY[ ~-]4\.0
    | (?:3des|aes\d{3}(?:gcm16|ctr)?|chacha20poly1305)(?:-(?:sha\d+|md5))? | modp\d{4}
    )(?![\w])""",
    flags=re.VERBOSE,
)
"""names of things that have digits"""


def prose_files(paper: Path) -> list[Path]:
    """The files of the paper (folder) that have prose."""
    return [path for path in sorted(paper.rglob("*.tex")) if path.name not in APART]


def check_prose(paths: Iterable[Path], numbers: Numbers | None = None) -> None:
    """Check files of prose. `numbers`: what notebooks handed over; then a file that says it has no
    results must not print an estimate. Raises UserError that lists all that is found."""
    found = [line for path in paths for line in faults(Source.read(path), numbers or {})]
    if found:
        raise UserError(
            f"{'; '.join(found)}. A direction goes into \\states{{conditions}}{{...}}, or "
            f"\\noresult{{reason}}{{...}}; a number comes from a notebook, or from {CONSTANTS}"
        )


def faults(source: Source, numbers: Numbers) -> Iterator[str]:
    """What is wrong in one file, each with file and line. Raises UserError."""
    free = NO_RESULTS.match(source.written)
    if free:
        yield from _results(source, numbers)
    else:
        for word in DIRECTION.finditer(TERMS.sub(_blank, printed(source, stated=False))):
            shown = " ".join(word[0].split())
            yield f"{source.where(word.start())}: {shown!r} is outside \\states and \\noresult"
    for reason, _ in source.calls("noresult", 2):
        if len(reason.text.split()) < 2:
            where = source.where(reason.begin)
            yield f"{where}: \\noresult: expected a reason in words, found {reason.text!r}"
    words = NAMES.sub(_blank, printed(source))
    for digits in re.finditer(r"[\w.]*\d[\w.]*", words):
        yield f"{source.where(digits.start())}: {digits[0].rstrip('.')!r} is no macro"


def _results(source: Source, numbers: Numbers) -> Iterator[str]:
    for macro in re.finditer(r"\\([A-Za-z]+)", source.text):
        if "low" in numbers.get(macro[1], {}):
            yield (
                f"{source.where(macro.start())}: {macro[0]} is an estimate, but the file begins "
                "with '% no results:'"
            )


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])
