"""Whether an interface merges the packets it receives (generic receive offload, GRO).

Linux hands packets that leave ESP or AH in tunnel mode to GRO once more, as packets of the
interface they came by (gro_cells, net/xfrm/xfrm_input.c), so that TCP gets several segments at
once. In transport mode each packet goes on by itself. With GRO off at the interface neither mode
merges.
"""

import shlex
from collections.abc import Iterable
from functools import partial

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.testbed.tools import Tool
from remeasure.bench.testbed.treatments.shaping import Place
from remeasure.bench.testbed.treatments.treatment import Prover, Question, Setter

TOOLS = {"ethtool": Tool(["ethtool", "--version"], "ethtool")}
_FEATURE = "generic-receive-offload"


def gro_setters(gro: bool | None, places: Iterable[Place]) -> list[Setter]:
    """Setters that switch GRO of these interfaces; None: none, hosts stay as they are."""
    if gro is None:
        return []
    return [
        Setter(place.host, f"ethtool -K {shlex.quote(place.interface)} gro {_word(gro)}")
        for place in places
    ]


def gro_provers(gro: bool | None, places: Iterable[Place]) -> Iterable[Prover]:
    """Provers that GRO of these interfaces is as the cell asks."""
    if gro is None:
        return
    for place in places:
        question = Question(f"proof.{place}.offloads.txt", ["ethtool", "-k", place.interface])
        yield Prover(place.host, [question], partial(check_gro, str(place), gro))


def check_gro(place: str, gro: bool, features: str) -> list[Check]:
    """Compare the output of `ethtool -k` for one interface (`place`, <host>.<link>) with the
    cell."""
    return [equal("offload", f"{place}: GRO", state_of_gro(features), _word(gro))]


def state_of_gro(features: str) -> str:
    """'on' or 'off', from the output of `ethtool -k`; the word itself, if it is another one; empty
    if it says nothing of GRO."""
    lines = (line.strip().partition(": ") for line in features.splitlines())
    return next((state for name, _, state in lines if name == _FEATURE), "")


def _word(on: bool) -> str:
    return "on" if on else "off"
