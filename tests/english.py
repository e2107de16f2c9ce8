"""Texts that people read, passage by passage, and habits that make a sentence hard to read."""

import ast
import io
import itertools
import json
import re
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

from cases import cases
from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

from remeasure.bench.base.files import parse_yaml

MOST_WORDS = 30
"""words of a sentence; a code span or a handed number is one word"""
FORMS = cases(__file__, "forms")
"""pattern of a habit in the style guide -> its replacement"""
HABITS = cases(__file__, "habits")
"""further patterns -> replacement"""
IN_CODE = cases(__file__, "in_code")
"""patterns that only code is searched for -> replacement"""
_NAMES = "charon|iperf|libcrypto|libreswan|mpstat|netem|strongSwan|tcpdump"
"""names in lower case with which a sentence may begin"""
_END = re.compile(rf"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_\[]*(?:[A-Z0-9]|{_NAMES}))")
_INTERVAL = re.compile(r"(-?[\d.]*\d) \[(-?[\d.]*\d), (?:(-?[\d.]*\d)|no end)\]")
_NUMBER = re.compile(r"\{\{ ?\w+ ?\}\}|\{\w+\}")
_CODE = re.compile(r"`[^`]*`")
_MARKDOWN = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
_WORDS = {
    "code_inline": "CODE",
    "softbreak": " ",
    "hardbreak": " ",
    "image": "IMAGE",
    "html_inline": " ",
}
_SILENT = "tabularx?|tikzpicture|equation|align|lstlisting|verbatim|thebibliography"
"""environments of LaTeX without sentences"""


def of_markdown(text: str) -> Iterator[str]:
    """Paragraphs, items, headings and fields of tables, without blocks of code."""
    text = re.sub(r"(?m)^:.*$", "", text)  # fences and options of directives
    for token in _MARKDOWN.parse(_NUMBER.sub("1", text)):
        if token.type == "inline":
            yield "".join(_WORDS.get(part.type, part.content) for part in token.children or ())
        elif token.type == "front_matter":
            yield from map(str, parse_yaml(Path("head"), token.content).values())


def of_notebook(text: str) -> Iterator[str]:
    """Cells of words."""
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "markdown":
            yield from of_markdown("".join(cell["source"]))


def of_latex(text: str) -> Iterator[str]:
    """Paragraphs, items and captions. A handed number, a formula or a code span is a word."""
    text = re.sub(r"(?<!\\)%.*", "", text)
    text = re.sub(rf"\\begin\{{({_SILENT})\*?\}}.*?\\end\{{\1\*?\}}", "\n\n", text, flags=re.DOTALL)
    # Conditions of a sentence and its scenario are not printed.
    text = re.sub(r"\\(states|measured)\{[^{}]*\}", "", text)
    text = re.sub(r"\\(paragraph|emph\{For)[^.}]*[.}]", "\n\n", text)
    text = re.sub(r"~?\\(cite|ref|label|index|input|includegraphics)\w*(\[.*?\])?\{.*?\}", "", text)
    text = re.sub(r"\$.*?\$|\\(texttt|url|qty|SI|num|unit)(\{.*?\})+", " CODE ", text)
    text = re.sub(r"\\(?:sub)*section\*?\{(.*)\}", r"\n\n\1\n\n", text)
    text = re.sub(r"\\(paragraph|caption|item|begin|end)\b\*?", "\n\n", text)
    text = re.sub(r"\\[a-z]+[A-Z]\w*(\{\})?", "1", text)  # a handed number: \pskrsaIkeDiff
    text = re.sub(r"\\[a-zA-Z]+\*?(\[.*?\])?|[{}]", " ", text).replace("~", " ")
    yield from filter(str.strip, re.split(r"\n\s*\n", text))


def of_code(text: str) -> Iterator[str]:
    """Docstrings, comments, and texts of errors and options. A value in a text is a word."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(words))):
                yield _CODE.sub("CODE", words)
            case ast.Raise(exc=ast.Call(args=[message, *_])) | ast.keyword("help", message):
                yield _CODE.sub("CODE", "".join(_words(message)))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [t for t in tokens if t.type == tokenize.COMMENT]
    lines = {t.start[0]: t.string.lstrip("#! ") for t in comments}
    for line in lines:
        if line - 1 not in lines:
            below = itertools.takewhile(lines.__contains__, itertools.count(line))
            yield _CODE.sub("CODE", " ".join(lines[one] for one in below))


def _words(message: ast.expr) -> Iterator[str]:
    """The text of an expression, in which each value is 1."""
    match message:
        case ast.Constant(value=str(words)):
            yield words
        case ast.JoinedStr(values=parts):
            for part in parts:
                yield from _words(part)
        case ast.FormattedValue():
            yield "1"


def sentences(passage: str) -> list[str]:
    return _END.sub("\n", " ".join(passage.split())).split("\n")


def too_long(passage: str) -> list[str]:
    """Sentences of more than MOST_WORDS words, each with its number of words."""
    counted = [
        (sum(1 for word in one.split() if re.search(r"\w", word)), one)
        for one in sentences(passage)
    ]
    return [f"{words} words: {one}" for words, one in counted if words > MOST_WORDS]


def hard_in_code(passage: str) -> list[str]:
    """Habits in a passage of code, each with its replacement."""
    return _found(passage, FORMS | HABITS | IN_CODE)


def _found(passage: str, habits: Mapping[str, str]) -> list[str]:
    return [
        f"{found[0]!r} (write: {instead}) in: {sentence}"
        for sentence in sentences(passage)
        for pattern, instead in habits.items()
        for found in re.finditer(pattern, sentence)
    ]


def empty_intervals(text: str) -> list[str]:
    """Intervals an end of which is the value: '1.00 [1.000, 1.00]'. A loss may be '0 [0, 0.2]'."""
    return [
        found[0]
        for found in _INTERVAL.finditer(text)
        if float(found[1]) in [float(end) for end in found.groups()[1:] if end]
        and float(found[1]) != 0
    ]


def hard_to_read(passage: str) -> list[str]:
    return too_long(passage) + _found(passage, FORMS | HABITS) + empty_intervals(passage)
