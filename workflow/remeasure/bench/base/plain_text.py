"""What no tool prints within a line: characters that steer a terminal or split the line, and digits
of other scripts, which int() and float() would take.
"""

import re

_STRANGE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]|(?![0-9])\d")
_CONTROLS = bytes([*range(0x09), *range(0x0B, 0x20), 0x7F])
"""all that is strange in ASCII"""


def strange_line(text: str) -> tuple[int, str] | None:
    """The first line with a character that no tool prints, and its number from 1; None if there is
    none. Lines end in a line feed, which a carriage return may precede."""
    # Almost every text is ASCII without them. A search takes thirty times as long to find that.
    if text.isascii() and len(text.encode().translate(None, _CONTROLS)) == len(text):
        return None
    text = text.replace("\r\n", "\n")
    strange = _STRANGE.search(text)
    if strange is None:
        return None
    number = text.count("\n", 0, strange.start())
    return number + 1, text.split("\n")[number]
