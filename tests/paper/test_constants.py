"""The constants of method in paper/constants.tex: one per line, with its source. A value of a YAML
file or of the package is compared with the macro, which prints it unchanged, as percent of a share,
or as thousandths. Pages print results of notebooks by name, too: a typed one would stay as it is
when the result changes, and then contradict another page."""

import importlib
import re

import pytest
from english import of_latex, of_markdown, of_notebook

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
DATED = re.compile(
    r"(?:RFCs?|sections?|issue|pull request) [\d.]+(?:(?:,| and) \d[\d.]*)*|(?:19|20)\d\d"
    r"|(?:strongSwan|Linux|OpenVPN|version|Debian|Ubuntu) (?:before )?\d[\d.]*"
)
"""names of documents, years and versions"""
LONG_NUMBER = re.compile(r"(?<![\w.:/-])(?:\d+\.\d+|\d{1,3}(?:,\d{3})+|\d{3,})(?![\w:]|[.-]\d)")
"""with a decimal or three digits; shorter ones are settings and small counts"""
SETTINGS = {
    number
    for path in (ROOT / "notebooks").glob("*/scenario.yaml")
    for number in NUMBER.findall(path.read_text())
} | {str(2**bits) for bits in range(14)}
"""numbers of scenarios, and sizes of windows and keys"""
KNOWN = {
    "0.005": "least value that a chart of algorithm_sweep draws [ms]",
    "0.02": "least value that a chart of algorithm_sweep draws [ms]",
    "0.707": "scale of Bayes factors, Rouder et al. 2009",
    "1.1": "two standard errors of a coverage of 95 % in 1500 campaigns [points]",
    "1.8": "strongSwan's retransmit_base",
    "2.5": "half of what intervals of 95 % leave out [%]",
    "99.9": "bound of the advice: all but one packet in a thousand [%]",
    "192": "window of tailscale-rs",
    "1360": "MSS for IPv6 in a tunnel with an MTU of 1420",
    "1420": "MTU of WireGuard and OpenVPN by default",
    "1448": "TCP payload of a full frame with time stamps",
    "8128": "WireGuard's window: 8192 bits less one word",
    "10000": "rate of datagrams of esp-instructions and scenarios like it [1/s]",
    "900000": "packets per second at 10 Gbit/s, about",
}
"""number that pages may print -> its meaning"""
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


@pytest.mark.parametrize("pattern", ["site/*.md", "notebooks/*/answer.md", "notebooks/*/*.ipynb"])
def test_no_result_on_a_page_is_typed(pattern):
    typed = {
        f"{path.relative_to(ROOT)}: {number[0]}": passage
        for path in sorted(ROOT.glob(pattern))
        for passage in (of_notebook if path.suffix == ".ipynb" else of_markdown)(path.read_text())
        for number in LONG_NUMBER.finditer(NAMES.sub("", DATED.sub("", passage)))
        if number[0].replace(",", "") not in SETTINGS | KNOWN.keys()
    }
    assert typed == {}
