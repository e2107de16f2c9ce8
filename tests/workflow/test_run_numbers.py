"""Numbers in print that belong to an experiment and not to IPsec: counts of packets, and shares of
a run's packets. They mean nothing without the length of the run, or its rate. A number is known by
its source, which a notebook hands over, not by its name."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from english import of_latex, of_markdown, sentences

from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import ROOT

UNITS = {"packets", "datagrams", "segments", "requests"}
"""units of metrics that count packets"""
_NOUN = "packets?|datagrams?|pings?|requests|segments"
_COUNTS = re.compile(rf"(?:\w+: |lost |most )?(?:{_NOUN})\b(?! of an?\b)(?!.*\bon average\b)")
"""how the source of a count of packets begins"""
_OF_PACKETS = re.compile(rf"\b(?:{_NOUN}|loss|lost|refused?s?|drop(?:s|ped)?)\b")
_TIME = r"\d\]?\s?(?:m?s|min|h|seconds?|minutes?|hours?)\b"
_KNOWN = re.compile(
    rf"{_TIME}|[MG]bit/s|packets/s|\b(?:a|per|each|every) (?:milli)?second\b"
    r"|\b(?:a|per|each) (?:set-up|exchange|message|[\w ]*request)\b"
)
"""a duration, a rate, or a number per message"""
_SHORT = {
    r"\milli\second": "ms",
    r"\second": "s",
    r"\percent": "%",
    r"\mega\bit\per\second": "Mbit/s",
}
"""unit as LaTeX -> as it is printed"""
_NAMED = re.compile(r"«([\w-]+)»")


class Number(NamedTuple):
    """A number that a notebook handed over."""

    text: str
    counts: bool
    """True if it counts packets"""
    share: bool
    """True if it is in percent"""
    source: str
    """the meaning, in words"""


def read_numbers(handed: Path) -> dict[str, Number]:
    """Macro -> number, of the folders of all notebooks in `handed`."""
    found = {}
    for folder in sorted(handed.iterdir()):
        lineage = json.loads((folder / "lineage.json").read_text())
        for name, one in json.loads((folder / "numbers.json").read_text()).items():
            places = lineage["numbers"][name]["of"]
            units = {lineage["origins"][place].get("unit", "") for place in places} - {""}
            found[name] = number_of(one, units)
    return found


def number_of(one: dict[str, Any], units: set[str]) -> Number:
    """A number from its entry in numbers.json and the units of its estimates."""
    unit, source = _SHORT.get(one.get("unit", ""), ""), one["source"]
    counts = bool(units & UNITS) or (not units and _COUNTS.match(source) is not None)
    share = "%" in units or unit == "%" or source.endswith(", %")
    ours = not source.startswith("published")
    # Nothing is nothing at any rate.
    real = ours and one.get("value") != 0
    return Number(f"{one['text']} {unit}".strip(), counts and real, share and real, source)


def faults(sentence: str, numbers: dict[str, Number]) -> list[str]:
    """The numbers in a sentence (each «macro») that count packets, or are a share of packets, if
    the sentence has neither duration nor rate."""
    shown = printed(sentence, numbers)
    if _KNOWN.search(shown):
        return []
    named = {name: numbers[name] for name in _NAMED.findall(sentence) if name in numbers}
    return [
        name
        for name, one in named.items()
        if one.counts or (one.share and _of_packets(name, sentence, one.source))
    ]


def printed(sentence: str, numbers: dict[str, Number]) -> str:
    """The sentence in the reader's form."""
    return _NAMED.sub(lambda m: numbers[m[1]].text if m[1] in numbers else "1", sentence)


def _of_packets(name: str, sentence: str, source: str) -> bool:
    """Whether a share is of packets: by the noun behind it, or else by its source."""
    of = re.search(rf"«{name}»(?: %| percent)? of ((?:[a-z]+ ){{0,3}}[a-z]+)", sentence)
    return bool(_OF_PACKETS.search(of[1] if of else source))


def sentences_of(root: Path) -> Iterator[tuple[str, str]]:
    """File and sentence of answers, site and paper in a folder; a handed number is «macro»."""
    passages: list[tuple[str, str]] = []
    for path in sorted(root.glob("notebooks/*/answer.md")):
        named = rf"«{Name.of_notebook(path.parent.name).prefix}\1»"
        text = re.sub(r"\{(\w+)\}", named, path.read_text())
        passages += [(path.parent.name, passage) for passage in of_markdown(text)]
    for path in sorted((root / "site").glob("*.md")):
        text = re.sub(r"\{\{ (\w+) \}\}", r"«\1»", path.read_text())
        passages += [(path.name, passage) for passage in of_markdown(text)]
    for path in sorted((root / "paper/sections").glob("*.tex")):
        passages += [(path.name, one) for one in of_latex(_marked(path.read_text()))]
    for file, passage in passages:
        yield from ((file, sentence) for sentence in sentences(passage))


def _marked(text: str) -> str:
    """LaTeX with «macro» for a handed number; a constant may be a duration or a rate."""
    text = re.sub(r"(?<!\\)%.*", "", text).replace(r"\%", " percent")
    text = re.sub(r"\\,|~", " ", text).replace(r"\_", "_")
    text = re.sub(r"\\c[A-Z]\w*(\{\})?", "1 s", text)
    return re.sub(r"\\([a-z]+[A-Z]\w*)(\{\})?", r"«\1»", text)


def test_no_number_in_print_belongs_to_a_run(built_project):
    numbers = read_numbers(built_project.folder / "results/handed")
    found = list(sentences_of(ROOT))
    assert sum("«" in sentence for _, sentence in found) > 300
    assert {
        f"{file}: {printed(sentence, numbers)}": wrong
        for file, sentence in found
        if (wrong := faults(sentence, numbers))
    } == {}
