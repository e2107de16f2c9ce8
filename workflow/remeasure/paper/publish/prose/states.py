"""The paper's sentences on data (\\states) and its identifiers of statements (\\claim), held
against what notebooks hand over."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.paper.notebook.as_latex import escape
from remeasure.paper.notebook.number import Numbers
from remeasure.paper.publish.prose.condition_names import NotMeasured, Quantities, Unknown
from remeasure.paper.publish.prose.conditions import Answer, Malformed, answer
from remeasure.paper.publish.prose.source import Argument, Source


@dataclass(frozen=True)
class Failed:
    """A sentence of which a condition does not hold."""

    key: str
    """all of its conditions, as LaTeX reads them"""
    where: str
    """file and line of the condition"""
    answer: Answer

    def __str__(self) -> str:
        return f"{self.where}: {self.answer.condition}: found: {self.answer.found}"


def check_states(
    sources: Iterable[Path],
    handed: Iterable[Path],
    numbers: Numbers,
    own: Iterable[str] = (),
) -> list[Failed]:
    """Hold the paper's sentences against the `numbers` that notebooks `handed` over (folders).

    Returns what does not hold for data of a reader's `own` notebooks, or was not measured. Raises
    UserError for what does not hold for the data with which the paper is published, for a name that
    no notebook hands over, and for what is no condition.
    """
    folders = list(handed)
    ledgers = (path for folder in folders for path in folder.glob("claims.json"))
    claims = {one["id"]: one for path in ledgers for one in json.loads(path.read_text())}
    data = Quantities(numbers, claims, {folder.name for folder in folders})
    failed = [one for path in sources for one in _failed(Source.read(path), data)]
    allowed = set(own)
    wrong = [
        one
        for one in failed
        if one.answer.measured and not {*map(data.notebook_of, one.answer.names)} & allowed
    ]
    if wrong:
        listed = "; ".join(map(str, wrong))
        raise UserError(f"the paper states what its data do not show: {listed}")
    return failed


def as_macros(failed: Iterable[Failed]) -> str:
    """The lines by which \\states prints beside a sentence which of its conditions do not hold."""
    said: dict[str, list[str]] = {}
    for one in failed:
        found = one.answer.found if one.answer.measured else "not measured"
        said.setdefault(one.key, []).append(f"{one.answer.condition}: {found}")
    return "".join(
        rf"\expandafter\gdef\csname fails:\detokenize{{{key}}}\endcsname"
        rf"{{{escape('; '.join(dict.fromkeys(found)))}}}" + "\n"
        for key, found in said.items()
    )


def _failed(source: Source, data: Quantities) -> Iterator[Failed]:
    for conditions, _ in source.calls("states", 2):
        key = _key(source, conditions)
        for found in re.finditer(r"[^;]+", conditions.text):
            text = " ".join(found[0].split())
            where = source.where(conditions.begin + found.end() - len(found[0].lstrip()))
            one = _asked(text, where, data)
            if not one.holds:
                yield Failed(key, where, one)
    for (name,) in source.calls("claim", 1):
        try:
            data.claim(name.text)
        except NotMeasured:
            pass
        except Unknown:
            where = source.where(name.begin)
            raise UserError(f"{where}: \\claim: no statement {name.text!r}") from None


def _key(source: Source, conditions: Argument) -> str:
    """The conditions as LaTeX reads them: blanks in a row are one."""
    if not conditions.text.strip() or not all(map(str.strip, conditions.text.split(";"))):
        raise UserError(f"{source.where(conditions.begin)}: \\states: an empty condition")
    if "%" in source.written[conditions.begin : conditions.end]:
        raise UserError(
            f"{source.where(conditions.begin)}: \\states: a comment within conditions; move it"
        )
    return re.sub(r"\s+", " ", conditions.text)


def _asked(condition: str, where: str, data: Quantities) -> Answer:
    try:
        return answer(condition, data)
    except Unknown as name:
        raise UserError(
            f"{where}: \\states: {condition!r}: no notebook hands over {name}"
        ) from None
    except Malformed as error:
        raise UserError(f"{where}: \\states: {condition!r}: {error}") from None
