"""Texts that people read, passage by passage, and what makes a sentence hard to read."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

from remeasure.bench.base.files import parse_yaml

MOST_WORDS = 30
"""words of a sentence; a code span or a handed number is one word"""
FORMS = {
    r"\b[Tt]h(at|ose) of\b": "name the thing",
    r"\b[Tt]he latter\b": "name the thing",
    r"\b(do|does|did|done|[Dd]oing) so\b": "say what is done",
    r"\brooms?\b": "package, layer, or space",
    r"\bwander(s|ed|ing)?\b": "unpinned",
    r"\b[Ww]ho(m|so)?ever\b": "anyone who",
}
"""habits of the style guide that a pattern finds -> what to write instead"""
HABITS = {
    r"\bbeside\b": "with, next to, in addition to",
    r"\banew\b": "again",
    r"\b[Aa]part from\b|\bapart[).]": "except, separately",
    r"\b(time|CODE|suites?|ciphers?|trips|bytes|IPv4|guests|processors|computing|vectors)"
    r" alone\b": "only",
    r"\b(between|are) neighbours\b": "back to back",
    r"\bby little\b": "slightly",
    r"\b(holds?|includes?) 1, so\b": "no difference was found",
    r"\b(stops?|stopped|ends?|ended|left) in order\b": "cleanly",
    r"\b(packets|bytes|datagrams|requests|times|bits) an? (second|packet|core|run|bit|SA)\b": "per",
    r"\b(headers?|address|addresses|exchanges?) of (IPv[46]|IKE|ESP|AH|TCP|UDP)\b": "IPv6 header",
    r"\b(rule|page|model|text|table|notebook) (says|names|asks for|tells)\b": "gives, shows, needs",
    r"\b([Nn]otebook|page|[Tt]able|ledger|codebook|guide|Appendix)"
    r" has\b(?! \d+ rows)": "lists, shows, contains",
    r"^(So|Then|Else|Such)\b": "name the place or the cause",
    r"^There (?!is\b|are\b|was\b|were\b)": "name the place",
    r"^Where\b(?! (is|are|does|do|can|and when)\b)": "if",
    r"^Who\b[^?]*\.$": "anyone who",
    r"\b(lost|sent|made|refused|them|took|takes|costs?) none\b(?! of \d)": "a number with its noun",
}
"""the same, for texts that everybody reads; docstrings may still contain them"""
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


def of_docstrings(text: str) -> Iterator[str]:
    """Docstrings of modules, classes, functions and fields."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(words))):
                yield _CODE.sub("CODE", words)


def sentences(passage: str) -> list[str]:
    return _END.sub("\n", " ".join(passage.split())).split("\n")


def too_long(passage: str) -> list[str]:
    """Sentences of more than MOST_WORDS words, each with its number of words."""
    counted = [
        (sum(1 for word in one.split() if re.search(r"\w", word)), one)
        for one in sentences(passage)
    ]
    return [f"{words} words: {one}" for words, one in counted if words > MOST_WORDS]


def hard_forms(passage: str) -> list[str]:
    """Where FORMS are in the passage, each with what to write instead."""
    return _found(passage, FORMS)


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
