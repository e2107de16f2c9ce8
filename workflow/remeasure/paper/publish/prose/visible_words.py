"""What of a LaTeX source a reader sees as words. The rest is blanked, so that each place stays."""

import re

from remeasure.paper.publish.prose.source import Source

_ONE = (
    *("cite", "ref", "eqref", "pageref", "autoref", "label", "claim", "url", "href"),
    *("input", "includegraphics", "tablerows", "says", "scenario"),
    *("measured", "unmeasured", "states", "noresult"),
    *("begin", "end", "cmidrule", "rotatebox", "parbox", "hspace", "vspace", "scalebox"),
    *("textcolor", "color", "bibliography", "bibliographystyle"),
)
_TWO = ("setlength", "addtolength", "multicolumn", "multirow", "resizebox", "fontsize")
HIDDEN = dict.fromkeys(_ONE, 1) | dict.fromkeys(_TWO, 2)
"""macro -> how many of its first arguments no reader sees"""
COLUMNS = {
    "tabular": 1,
    "longtable": 1,
    "array": 1,
    "minipage": 1,
    "tabular*": 2,
    "tabularx": 2,
}
"""environment -> how many arguments it has, of widths and columns"""
STATED = ("states", "noresult")
"""macros whose second argument is text that names what it rests on, or why it need not"""
_OPTIONS = re.compile(r"\*?(?:\[[^]]*\]|\([^)]*\))*")
_MACRO = re.compile(r"\\(?:[A-Za-z@]+|\\(?:\[[^]]*\])?|.)", flags=re.DOTALL)


def printed(source: Source, stated: bool = True) -> str:
    """The words of a source. `stated`: with those inside \\states and \\noresult. Raises UserError
    for a brace that is not closed."""
    text = list(source.text)
    for found in _MACRO.finditer(source.text):
        end = _hidden_end(source, found[0][1:], found.end())
        _blank(text, found.start(), end)
        if not stated and found[0][1:] in STATED:
            words = source.argument(end, found[0])
            _blank(text, words.begin, words.end)
    return "".join(text)


def _hidden_end(source: Source, name: str, place: int) -> int:
    """Where that ends which no reader sees of a macro: its name, and its first arguments."""
    if name not in HIDDEN:
        return place
    place = _after_options(source, place)
    for _ in range(HIDDEN[name]):
        argument = source.argument(place, f"\\{name}")
        place = argument.end + 1
    if name == "begin":
        place = _after_options(source, place)
        for _ in range(COLUMNS.get(argument.text, 0)):
            place = source.argument(place, argument.text).end + 1
    return place


def _after_options(source: Source, place: int) -> int:
    options = _OPTIONS.match(source.text, place)
    return options.end() if options else place


def _blank(text: list[str], begin: int, end: int) -> None:
    text[begin:end] = ["\n" if one == "\n" else " " for one in text[begin:end]]
