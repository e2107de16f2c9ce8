"""Generated sections of Markdown files, each between the lines `<!-- generated: NAME -->` and `<!--
end -->`. All other text of the file is written by hand."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from remeasure.bench.base.errors import UserError

_GENERATED = re.compile(r"(<!-- generated: (.*) -->\n)(?:.*\n)*?(<!-- end -->\n)")


def updated(text: str, path: Path, sections: Mapping[str, Callable[[], str]]) -> str:
    """The text of `path` with every generated section replaced by the result of sections[NAME]().
    Raises UserError unless the file has each of `sections` exactly once."""
    found = [name for _, name, _ in _GENERATED.findall(text)]
    if sorted(found) != sorted(sections):
        raise UserError(
            f"{path}: found generated sections {sorted(found)}, expected each once of "
            f"{sorted(sections)}; mark them by <!-- generated: NAME --> and <!-- end -->"
        )
    return _GENERATED.sub(lambda m: m[1] + "\n" + sections[m[2]]() + "\n" + m[3], text)
