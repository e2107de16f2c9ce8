"""How many verdicts hold under other choices of the analysis (choices.py)."""

from collections.abc import Iterator

import pandas as pd

from remeasure.paper.analysis.decisions import CONFIRMED, DECIDED, OPPOSITE
from remeasure.paper.analysis.entry import Entry, Ledger
from remeasure.paper.analysis.verdicts.choices import BOUND, ESTIMATOR, FLIPS, KINDS, TOO_FEW
from remeasure.paper.analysis.verdicts.ledger import counted, flips, is_decided

_COLUMNS = ("stand", "undecided then", "too few blocks", "other", "reversed", "decided then")


def stability(ledger: Ledger) -> pd.DataFrame:
    """One row for each choice.

    Columns: kind, choice; of the decided verdicts how many hold, how many are undecided then, how
    many have too few blocks for this choice, how many are another decided verdict, and how many of
    them are reversed (confirmed becomes the opposite, or back); and, apart, how many undecided ones
    are decided then.
    """
    own = counted(ledger)
    decided = {entry["id"]: entry for entry in own if is_decided(entry)}
    changed = flips(own)
    rows = []
    for kind, name in _names(own):
        of_choice = changed[changed["choice"] == name]
        of_decided = of_choice[of_choice["claim"].isin(decided)]
        then = of_decided["verdict then"].isin(DECIDED)
        turned = of_decided[["verdict", "verdict then"]].isin((CONFIRMED, OPPOSITE)).all(axis=1)
        gained = ~of_choice["claim"].isin(decided) & of_choice["verdict then"].isin(DECIDED)
        few = sum(e["choices"].get(kind, {}).get(name) == TOO_FEW for e in decided.values())
        counts = ((~then).sum(), few, then.sum(), turned.sum(), gained.sum())
        rows.append((kind, name, len(decided) - len(of_decided) - few, *map(int, counts)))
    return pd.DataFrame(rows, columns=["kind", "choice", *_COLUMNS])


def standing(ledger: Ledger, *kinds: str) -> tuple[int, int]:
    """Of the decided counted verdicts, how many hold under every choice of these kinds for which
    they have enough blocks; and how many there are."""
    decided = [entry for entry in counted(ledger) if is_decided(entry)]
    stand = [e for e in decided if set(_under(e, kinds)) <= {e["verdict"], TOO_FEW}]
    return len(stand), len(decided)


def by_sign_flips(entry: Entry) -> str:
    """The verdict without the normal assumption, or TOO_FEW; empty for a claim without verdict."""
    return entry["choices"].get(ESTIMATOR, {}).get(FLIPS, "")


def near_a_decision(ledger: Ledger) -> int:
    """How many undecided counted statements bounds half or twice as wide would decide."""
    return sum(
        not is_decided(entry) and any(then in DECIDED for then in _under(entry, (BOUND,)))
        for entry in counted(ledger)
    )


def _under(entry: Entry, kinds: tuple[str, ...]) -> list[str]:
    """The verdicts on an entry under all choices of these kinds."""
    return [then for kind in kinds for then in entry["choices"].get(kind, {}).values()]


def _names(ledger: Ledger) -> Iterator[tuple[str, str]]:
    """Kind and name of each choice, in the order of KINDS."""
    for kind in KINDS:
        names = dict.fromkeys(n for entry in ledger for n in entry["choices"].get(kind, {}))
        yield from ((kind, name) for name in names)
