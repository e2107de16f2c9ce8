"""The constants of method in paper/constants.tex: one per line, with its source. A value of a YAML
file or of the package is compared with the macro, which prints it unchanged, as percent of a share,
or as thousandths."""

import importlib
import re

import pytest
from english import of_latex

from remeasure.bench.base.files import read_yaml
from remeasure.bench.base.paths import ROOT

PAPER = ROOT / "paper"
LINES = [
    line
    for line in (PAPER / "constants.tex").read_text().splitlines()
    if line and not line.startswith("%")
]
LINE = re.compile(r"\\newcommand\{\\(c[A-Z][A-Za-z]*)\}\{(.*)\}\s*%\s*(\S.*)")
PLACE = re.compile(r"(?:([\w./-]+\.yaml)|(remeasure(?:\.\w+)+)): (\S+)")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
NAMES = re.compile(
    r"""(?<![\w.])(?:
    IKEv[12] | IPv[46] | TLS[ ]1\.[0-3] | MSCHAPv2 | RFC[ ]\d{3,4} | IEEE[ ]802\.1[A-Z]* | 3DES
    | (?:EAP-|HMAC-)?MD[45] | (?:HMAC-)?SHA-?[1-9]\d*(?:-\d+)? | AES-\d+(?:-[A-Z]+(?:-\d+)?)?
    | ChaCha20(?:-Poly1305)? | Poly1305 | RSA-\d{4} | P-\d{3} | X25519 | Curve25519 | Ed25519
    | ML-KEM-\d+ | AVX(?:2|-512) | x86(?:-64)? | iperf[ ]?[23] | Layer[ ][23] | L2TP
    | CC[ -]BY[ -]4\.0 | [\d.]+(?:pt|em|ex|cm)
    )(?!\w)""",
    re.VERBOSE,
)
"""names of things that have digits"""
LAYOUT = re.compile(
    r"p\{[\d.]+\\\w+\}|\\cmidrule\S*"
    r"|\\(?:claim|begin|multicolumn|rotatebox|setlength)\{[^}]*\}(?:\{[^}]*\})?"
)


def value_at(file: str, module: str, path: str) -> object:
    value = read_yaml(ROOT / file) if file else importlib.import_module(module)
    for key in path.split("/"):
        if isinstance(value, dict):
            value = next(item for name, item in value.items() if str(name) == key)
        else:
            value = value[int(key)] if isinstance(value, list) else getattr(value, key)
    return value


@pytest.mark.parametrize("line", LINES)
def test_a_constant_has_a_source_with_its_value_and_is_used(line):
    name, body, source = LINE.fullmatch(line).groups()
    text = "".join(path.read_text() for path in (PAPER / "sections").glob("*.tex"))
    assert re.search(rf"\\{name}(?![A-Za-z])", text)
    if place := PLACE.fullmatch(source):
        printed = float(NUMBER.search(body)[0])
        times = 100 if r"\percent" in body else 1000 if r"\milli" in body else 1
        found = [float(number) for number in NUMBER.findall(str(value_at(*place.groups())))]
        assert printed in [pytest.approx(factor * one) for factor in (1, times) for one in found]


@pytest.mark.parametrize(
    "path", sorted((PAPER / "sections").glob("*.tex")), ids=lambda path: path.stem
)
def test_no_number_of_a_section_is_typed(path):
    """Numbers come from notebooks and constants.tex."""
    text = LAYOUT.sub("", path.read_text())
    text = re.sub(r"\\[A-Za-z]+[A-Z][A-Za-z]*", "", text)
    typed = [NAMES.sub("", passage) for passage in of_latex(text)]
    assert [passage for passage in typed if re.search(r"\d", passage)] == []
