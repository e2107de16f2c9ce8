"""The lines of the log of a flow (readers.flow_log), by name, and what takes them in order."""

import re

from remeasure.bench.probes.base import LogError, text_lines

_N = "([0-9]+)"
_PARAMETERS = rf"flow {_N} bytes {_N} rate {_N} planned {_N} dscp {_N} every {_N}"
_RUN = rf"count {_N} due {_N} next (none|[0-9]+)"
FORMS = {
    "sender": "flow 1 send",
    "to": rf"to (\S+) port {_N}",
    "parameters": _PARAMETERS,
    "ended": rf"ended {_N}",
    "sent": rf"class ([01]) planned {_N} sent {_N} errors {_N}",
    "latest": rf"latest {_N} number {_N}",
    "error": r"error (\S.*)",
    "end": "end",
    "receiver": "flow 1 receive",
    "port": rf"port {_N} buffer {_N} listening {_N}",
    "stopped": rf"stopped {_N} by (signal|silence)",
    "strangers": rf"strangers {_N} overflow {_N}",
    "none": "flow none",
    "received": rf"class ([01]) planned {_N} received {_N} duplicates {_N} marked {_N}",
    "order": rf"class ([01]) late {_N} overtaken {_N} behind {_N}",
    "delay": r"class ([01]) delay min (-?[0-9]+) median (-?[0-9]+) p99 (-?[0-9]+) max (-?[0-9]+)",
    "times": rf"class ([01]) first {_N} last {_N} gap {_N} from {_N}",
    "missing": rf"class ([01]) missing {_N} runs {_N}",
    "longest": rf"class ([01]) longest {_N} {_RUN}",
    "run": rf"class ([01]) run {_N} {_RUN}",
    "unlisted": rf"class ([01]) unlisted {_N} runs {_N}",
}
"""name of a line -> its form"""
_COMPILED = {name: re.compile(form, re.ASCII) for name, form in FORMS.items()}


class Lines:
    """The lines of a log, in order."""

    def __init__(self, file: str, content: bytes):
        self.file, self._lines = file, text_lines(file, content)
        self.line = 0
        """number of the line that was taken last"""
        self.places: dict[str, int] = {}

    def take(self, name: str) -> re.Match[str]:
        """The next line, which must have this form. Raises LogError."""
        match = self.perhaps(name)
        if not match:
            raise self.refused(f"line {name!r}: {FORMS[name]}")
        return match

    def perhaps(self, name: str) -> re.Match[str] | None:
        """The next line if it has this form."""
        if self.line == len(self._lines):
            return None
        match = _COMPILED[name].fullmatch(self._lines[self.line])
        if match:
            self.line += 1
            self.places.setdefault(name, self.line)
        return match

    def numbers(self, name: str) -> tuple[int, ...]:
        """The numbers of the next line, which must have this form. Raises LogError."""
        return tuple(map(int, self.take(name).groups()))

    def of_class(self, name: str, number: int) -> tuple[int, ...]:
        """The numbers of the next line, of a class, without the class. Raises LogError."""
        found, *rest = self.numbers(name)
        if found != number:
            self.line -= 1
            raise self.refused(f"a line of class {number}")
        return tuple(rest)

    def refused(self, expected: str) -> LogError:
        over = self.line == len(self._lines)
        found = "the end of the file" if over else self._lines[self.line]
        return LogError(self.file, self.line + 1, found, expected)

    def finish(self) -> None:
        if self.line != len(self._lines):
            raise self.refused("the end of the log")
