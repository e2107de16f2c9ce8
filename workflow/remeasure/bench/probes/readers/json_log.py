"""Reading the JSON that a tool wrote, in which an object has each key once."""

import json

from remeasure.bench.base.plain_text import strange_line
from remeasure.bench.probes.base import STRANGE, LogError


class KeyGivenTwice(ValueError):
    """An object of JSON has one key twice, so nobody knows which value is meant."""


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON from its keys and values, as `object_pairs_hook` of json.loads. Raises
    KeyGivenTwice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise KeyGivenTwice(f"{next(key for key in keys if keys.count(key) > 1)} twice")
    return found


def load(file: str, content: bytes, tool: str) -> object:
    """The document in a log of a tool. Raises LogError if it is not JSON, has a key twice, or
    characters that no tool prints."""
    try:
        text = content.decode()
        if strange := strange_line(text):
            raise LogError(file, *strange, STRANGE)
        return json.loads(text, object_pairs_hook=once)
    except KeyGivenTwice as error:
        raise LogError(file, 1, str(error), "each key of an object once") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        line = getattr(error, "lineno", 1)
        raise LogError(file, line, str(error), f"JSON of {tool} (is the file cut?)") from None
