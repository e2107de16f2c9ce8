"""The paper's prose: a word of direction names what it rests on, and a digit comes from a macro."""

from pathlib import Path

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.paper.publish.prose.constants import CONSTANTS, check_constants
from remeasure.paper.publish.prose.lint import check_prose, prose_files

PAPER = ROOT / "paper"
PASS = [
    r"A handshake takes \pskrsaPskNormal{} on a link of \cRate.",
    r"\states{pskrsaDiff > 0}{RSA takes longer, many times as long.}",
    r"\noresult{what the study says}{The study finds RSA slower.}",
    r"\measured{eap-methods}{\states{eapmethodsX > 1}{A chain of certificates takes more.}}",
    r"IKEv2, AES-256, SHA-256, 3DES, RFC~4303, IPv6, ChaCha20-Poly1305, ML-KEM-768, RSA-2048, "
    r"P-256, HMAC-SHA-256, AES-128-GCM, EAP-MD5, x86, iperf3 and \texttt{aes128gcm16}.",
    r"See~\cite[section~2.16]{rfc7296}, Figure~\ref{fig:2}, \claim{faigl-chain-2-to-4-30pct}.",
    "% more or less 17\nText of at least \\pskrsaPings{} and at\nmost \\pskrsaMost{} pings.",
    r"\begin{tabular}{@{}p{0.3\textwidth}lr@{\hskip 10pt}}\cmidrule(lr){3-5}"
    r"\multicolumn{2}{c}{study} \\[2pt]\end{tabular}\setlength{\tabcolsep}{4pt}",
    r"\begin{tabularx}{0.5\textwidth}{lX}\end{tabularx}\includegraphics[width=0.5\columnwidth]{x}",
    "The smallest\neffect that matters; a build that no longer fails.",
    "% no results: what others did\nTheirs is faster, and ours the same.",
]
FAIL = {
    "RSA takes\nlonger.": "2: 'longer' is outside",
    "Both cost the same.": "1: 'same' is outside",
    "There is no\ndifference between them.": "1: 'no difference' is outside",
    r"It takes \X{} times as long.": "1: 'times as' is outside",
    r"\states{pskrsaDiff > 0}{It takes longer.} It costs more.": "1: 'more' is outside",
    r"\measured{x}{It is slower.}": "1: 'slower' is outside",
    r"\caption{The fastest suites.}": "1: 'fastest' is outside",
    r"\noresult{}{It is slower.}": r"1: \\noresult: expected a reason in words",
    r"A delay of \qty{100}{\milli\second}.": "1: '100' is no macro",
    "It took 4.9 ms.": "1: '4.9' is no macro",
    r"\states{pskrsaDiff > 0}{It takes 5 ms.}": "1: '5' is no macro",
    r"$p<0.05$": "1: '0.05' is no macro",
    r"\multicolumn{2}{c}{of 40}": "1: '40' is no macro",
    "AES-129 and 3DES4": "1: '129' is no macro; .*1: '3DES4' is no macro",
    "% no results: method\nThe rate is 7.": "2: '7' is no macro",
    "% no results: method\nThe ratio is \\pskrsaRatio.": r"2: \\pskrsaRatio is an estimate, but",
}


def check(folder: Path, text: str) -> None:
    (folder / "section.tex").write_text(text)
    numbers = {"pskrsaRatio": {"text": "1.3", "value": 1.3, "low": 1.2, "high": 1.4}}
    check_prose([folder / "section.tex"], numbers)


@pytest.mark.parametrize("text", PASS)
def test_prose_that_names_what_it_rests_on_passes(tmp_path, text):
    check(tmp_path, text)


@pytest.mark.parametrize(("text", "says"), FAIL.items())
def test_prose_that_does_not_is_refused_with_its_line(tmp_path, text, says):
    with pytest.raises(UserError, match=rf"section.tex:{says}"):
        check(tmp_path, text)


CONSTANT = r"\newcommand{\cLevel}{\qty{95}{\percent}}  % "
LEVEL = "remeasure.paper.analysis.estimates: LEVEL"
NETEM = "notebooks/psk_rsa/scenario.yaml: factors/network/impaired/shaping/gw1.wan/netem"
DELAY = rf"\newcommand{{\cLevel}}{{\qty{{100}}{{\milli\second}}}} % {NETEM}"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (CONSTANT + LEVEL, None),
        (DELAY, None),
        (DELAY.replace("100", "90"), "is .*90.*netem is delay 100ms 20ms"),
        (CONSTANT + "Student's interval, as all of the field has it", None),
        (CONSTANT.replace("95", "90") + LEVEL, r"\\cLevel is \\qty\{90\}.*, but .*LEVEL is 0.95"),
        (CONSTANT + LEVEL + "S", "LEVELS: no such value"),
        (CONSTANT.replace("  % ", ""), "expected .* % source; found"),
        (CONSTANT.replace("Level", "Unused") + LEVEL, r"does not use \\cUnused"),
    ],
)
def test_a_constant_has_a_source_with_its_value(tmp_path, line, says):
    (tmp_path / CONSTANTS).write_text(f"% Constants.\n{line}\n")
    (tmp_path / "method.tex").write_text(r"Intervals are \cLevel.")
    if says is None:
        check_constants(tmp_path)
    else:
        with pytest.raises(UserError, match=rf"{CONSTANTS}:2: .*{says}"):
            check_constants(tmp_path)


def test_the_paper():
    check_prose(prose_files(PAPER))
    check_constants(PAPER)
