"""The paper's pages: few, full, with floats beside their text and type that can be read. Each check
fails on a made-up paper that has what it looks for."""

import re
import subprocess
from pathlib import Path

import layout
import pytest
from paper_pages import Paper

from remeasure.bench.base.paths import ROOT
from remeasure.paper.notebook.pdf import pdf_of

HEAD = rf"""
\documentclass[conference]{{IEEEtran}}
\usepackage[T1]{{fontenc}}
\usepackage{{graphicx}}
\usepackage[hidelinks,%s]{{hyperref}}
\input{{{ROOT}/paper/checked.tex}}
\newcommand{{\words}}{{Two gateways join two networks, and a link joins the gateways. }}
\newcount\n
\newcommand{{\sentences}}[1]{{\n=0 \loop\words\advance\n by 1 \ifnum\n<#1 \repeat}}
\newcommand{{\chart}}[2]{{\begin{{figure}}[t]\includegraphics[width=#2]{{chart}}\caption{{A chart.
  }}\label{{#1}}\end{{figure}}}}
\title{{Made up}}\author{{Nobody}}
\begin{{document}}\maketitle
"""
REFERENCES = r"\begin{thebibliography}{1}\bibitem{a} A. \sentences{30}\end{thebibliography}"
APPENDIX = r"\clearpage\appendix\section{More}\sentences{40}"
MISSING = ("Title", "Author", "Keywords", "Lang", "bookmarks")
DESCRIBED = "pdftitle=Made up,pdfauthor=Nobody,pdfkeywords=none,pdflang=en"
GOOD = (
    HEAD % DESCRIBED
    + r"\section{Begin}In Figure~\ref{a}: \sentences{90}\chart{a}{\columnwidth}"
    + r"\sentences{100} The end."
    + REFERENCES
    + APPENDIX
    + r"\end{document}"
)
BAD = (
    HEAD % "bookmarks=false"
    + r"\begin{sloppypar}Figure~\ref{b}, Figure~\ref{s}. \sentences{60}\end{sloppypar}\clearpage"
    + r"\sentences{30}\clearpage\sentences{200}\hbox{\hskip 300pt wide}\clearpage"
    + r"\chart{b}{\columnwidth}\chart{c}{\columnwidth}"
    + r"\begin{figure*}[p]\centering\includegraphics[height=600pt]{tall}\caption{T}\label{s}"
    + r"\end{figure*}\clearpage"
    + "".join(rf"\begin{{table}}[t]\caption{{x}}\label{{t{i}}}\end{{table}}" for i in range(6))
    + r"\sentences{20}\newpage x\newpage" * 9
    + "".join(rf"\chart{{p{i}}}{{90pt}}" for i in range(5))
    + r"\clearpage\sentences{100}\par"
    + REFERENCES
    + r"\end{document}"
)
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}"><rect width="100%" '
    'height="100%" fill="none" stroke="black"/><text x="20" y="40" font-family="sans-serif" '
    'font-size="8px">turn</text><text font-family="sans-serif" font-size="8px" '
    'transform="translate(40,60) rotate(-90)">i</text></svg>'
)


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """The two made-up papers, good and bad."""
    folder = tmp_path_factory.mktemp("paper")
    (folder / "chart.pdf").write_bytes(pdf_of(SVG.format(240, 120)))
    (folder / "tall.pdf").write_bytes(pdf_of(SVG.format(240, 400)))
    for name, text in (("good", GOOD), ("bad", BAD)):
        (folder / f"{name}.tex").write_text(text)
        for _ in range(2):
            latex = ["pdflatex", "-interaction=batchmode", "-halt-on-error", f"{name}.tex"]
            subprocess.run(latex, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return {name: read(folder / f"{name}.pdf") for name in ("good", "bad")}


def read(pdf: Path) -> Paper:
    return Paper(pdf, pdf.with_suffix(".log"))


@pytest.mark.parametrize("check", layout.CHECKS)
def test_a_paper_as_it_should_be_passes(made_up, check):
    assert check(made_up["good"]) == []


def test_the_body_ends_where_the_references_begin(made_up):
    good = made_up["good"]
    assert layout.body_end(good) == good.heading(layout.REFERENCES)[0]
    assert good.heading(layout.APPENDIX) == (len(good.pages), False)


@pytest.mark.parametrize(
    ("check", "says"),
    [
        (layout.too_long, r"body: 17 pages, most 12"),
        (layout.too_long, r"body: 8 figures, most 6"),
        (layout.too_long, r"body: 6 tables, most 5"),
        (layout.of_floats_alone, r"page 5: floats alone \(0 characters of text\)"),
        (layout.white, r"page 2: 7\d% white"),
        (layout.far_floats, r"figure.1, page 5: first referred to on page 1"),
        (layout.far_floats, r"figure.2, page 5: the text does not refer to it"),
        (layout.small_type, r"page 16: figure with type of 3.0 pt"),
        *((layout.not_described, f"the PDF has no {name}") for name in MISSING),
        (layout.overfull, r"6\d pt too wide in paragraph .*"),
    ],
)
def test_each_check_fails_on_what_it_looks_for(made_up, check, says):
    found = check(made_up["bad"])
    assert any(re.fullmatch(says, one) for one in found), found


@pytest.mark.parametrize("check", layout.CHECKS)
def test_the_paper(built_project, check):
    results = built_project.folder / "results"
    paper = Paper(results / "paper.pdf", results / "paper/main.log")
    assert check(paper) == []
