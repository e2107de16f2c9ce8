"""Reading JSON that somebody else may have written: nothing in it is passed over or guessed."""

import json
import math
import re

from remeasure.bench.base.errors import UserError

_LONGEST = 19
"""digits of the largest whole number that tables can hold"""
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def read_json(source: str, content: bytes) -> object:
    """The document in `content`; `source` names it in messages.

    Raises UserError for what is not JSON in UTF-8, and for what readers of JSON let pass: a key
    given twice, of which they take the last; a number that no table can hold; half a character of
    UTF-16, which no file can hold.
    """
    try:
        document = json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_int=_whole,
            parse_float=_finite,
        )
        if _SURROGATE.search(content):
            json.dumps(document, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise UserError(f"{source}: found {half!r}, expected whole characters") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{source}: not UTF-8 text ({error}); restore it") from None
    except _Refused as error:
        raise UserError(f"{source}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{source}: not JSON ({error})") from None
    return document


class _Refused(Exception):
    """What JSON allows and this software does not."""


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Refused(f"{twice}: found twice, expected each field once")
    return found


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > _LONGEST:
        raise _Refused(
            f"found a number of {len(digits)} digits ({digits[:10]}...), expected at most "
            f"{_LONGEST}"
        )
    return int(digits)


def _finite(digits: str) -> float:
    if math.isinf(number := float(digits)):
        raise _Refused(f"found {digits[:20]}, expected a number below 1.8e308")
    return number
