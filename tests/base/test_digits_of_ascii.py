"""What is read from outside is read by digits of ASCII: \\d takes those of every script."""

import re
from pathlib import Path

import remeasure

PACKAGE = Path(remeasure.__file__).parent
ANY_DIGIT = re.compile(r"\\d(?![a-z])")
FINDS_OTHERS = "plain_text.py"
"""looks for digits of other scripts"""


def test_no_pattern_takes_digits_of_other_scripts():
    found = [
        f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for path in [
            *sorted((PACKAGE / "bench").rglob("*.py")),
            *sorted((PACKAGE / "paper/tidy").rglob("*.py")),
        ]
        if path.name != FINDS_OTHERS
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if ANY_DIGIT.search(line)
    ]
    assert found == [], "write [0-9]"
