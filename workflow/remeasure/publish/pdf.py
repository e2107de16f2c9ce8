"""The same chart as the same bytes.

vl-convert lists a page's resources in an order that differs from run to run. Sorting the list moves
no object: all entries stay within the same stretch of bytes.
"""

import re

_RESOURCES = re.compile(rb"(?:^ +/[A-Za-z]+\d+ \d+ 0 R\n){2,}", re.M)


def canonical(pdf: bytes) -> bytes:
    """`pdf` with every list of resources in order of their names."""
    return _RESOURCES.sub(lambda run: b"".join(sorted(run[0].splitlines(keepends=True))), pdf)
