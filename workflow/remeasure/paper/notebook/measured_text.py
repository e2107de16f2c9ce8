"""Markdown without values that a campaign did not measure. A sentence, row, card or block of code
with such a value goes, and then each empty table, box and section."""

import re

LOST = "\0"
"""stands for a value that does not exist"""
_WHOLE = re.compile(r"(?ms)^(:{3,}(?=\{grid-item)|```).*?^\1$\n?")
_SENTENCE = re.compile(r".+?(?:[.?!](?:\*\*|\))?\s+|$)")
_EMPTY = re.compile(
    r"(?m)^\|.*\n\|[-| :]+\n(?!\|)|^(:{3,})\{.*\n(?::.*\n|\s*\n)*\1$\n?"
    r"|^### .*\n\s*(?=###? |\Z)|^## .*\n\s*(?=## |\Z)"
)


def measured(text: str) -> str:
    """The text without all that needs a value marked as LOST."""
    text = _WHOLE.sub(lambda found: "" if LOST in found[0] else found[0], text)
    lines = (_line(one) if LOST in one else one for one in text.splitlines(keepends=True))
    kept, before = "".join(lines), ""
    while LOST in text and kept != before:
        before, kept = kept, _EMPTY.sub("", kept)
    return kept


def _line(line: str) -> str:
    start = "- " if line.startswith("- ") else ""
    kept = "".join(s for s in _SENTENCE.findall(line.removeprefix(start)) if LOST not in s)
    if line.startswith(("|", "<")) or not re.search(r"\w", re.sub(r"\*\*[^*]*\?\*\*", "", kept)):
        return ""
    # A pair of marks may have lost one.
    return f"{start}{kept if kept.count('**') % 2 == 0 else kept.replace('**', '')}".rstrip() + "\n"
