"""Names in double braces, in whose place a page has what was found."""

import re
from collections.abc import Mapping

from remeasure.bench.base.errors import UserError

NAME = re.compile(r"\{\{ (\w+) \}\}")


def filled(page: str, text: str, texts: Mapping[str, str]) -> str:
    """The text of site/`page` with `texts` in place of the names. Raises UserError."""

    def known(match: re.Match[str]) -> str:
        if match[1] not in texts:
            raise UserError(
                f"site/{page}: {match[0]}: no notebook hands over a number of this name"
            )
        return texts[match[1]]

    return NAME.sub(known, text)
