"""The rules by which statements are judged, by version.

A campaign keeps the version that was in force when it began. A rule that is changed after data were
seen decides only data that are measured later. Its verdicts on older data are exploratory: they are
shown with the verdict and counted nowhere.

Version 1: verdicts are corrected by Holm's method (1979), and suites are compared by rates.

Version 2: the error rate is the false discovery rate (Benjamini and Hochberg 1995, 5 %). The ledger
is a list of separate findings. One wrong verdict in it does not spoil the others, so a reader needs
to know how many of the decided verdicts may be wrong, not how likely it is that any is. The
family-wise rate answers the second question: it is right if one error refutes the whole, and it
leaves more of a ledger undecided the longer the ledger is. Both are printed; the version decides
which one is the headline. In either version the family is the same: the statements of one study
that are counted and were measured. A statement that the bench makes unreadable stays in it: a
verdict that is withdrawn after the data were seen must not make the others laxer. Statements of one
study that two scenarios answer are two families: the share of wrong verdicts is kept in each, and
so in both together. Two families are also the worlds without and with the processor's instructions,
in which a statement on suites is asked: a reader asks in one of them
(paper/analysis/verdicts/choices.py).

The family-wise rate of version 2 is Bonferroni's. Holm's method steps down: each decided statement
makes the next threshold laxer, which is sound if a statement can be wrong in one way. Ours have
three verdicts. If effects lie at the edge of what matters, "confirmed" of one is right and makes
"no difference that matters" of the next too easy. Holm's method was wrong somewhere in more than a
tenth of simulated studies of that kind (tests/analysis/verdicts/test_corrections.py); Bonferroni's
and the false discovery rate kept theirs.

Version 3: suites are compared by TCP by the processor time of a byte of payload. Version 2 took
the time of a packet for either transport. The inverse of a goodput is a time per byte, and both
rank suites alike only if their packets carry equally much. By UDP each write of a program is one
packet. By TCP the sender joins small writes to longer segments while it waits (Nagle's algorithm,
RFC 896), and it waits longer for a slower suite: at 128 bytes 3DES took 1.42 times the time of AES
per packet, and 0.89 times per byte. A question that covers both transports is asked per byte: where
datagrams have one size, the ratio is the same.

Estimates, and readings of a rate or a cost, are the same in each version. Contrasts are matched
(analysis/contrasts.py), "at every level" needs every level, a shared core is a limit, a link hides
the cost of authentication, and costs of packets with unlike payloads are not compared. All of this
is younger than the released campaigns. `remeasure register` prints which of their verdicts it
changed.
"""

from dataclasses import dataclass
from typing import Literal

from remeasure.bench.claims.questions import Expect, Question, bounds

ErrorRate = Literal["family_wise", "false_discovery"]
CorrectionMethod = Literal["holm", "bonferroni", "fdr_bh"]


@dataclass(frozen=True)
class Rules:
    """One version of the rules."""

    version: int
    error_rate: ErrorRate
    """the rate kept below 5 % over the counted, testable statements of a study"""
    family_wise: CorrectionMethod
    """how the family-wise rate is kept"""
    by_cost: bool
    """True if suites are compared by processor cost, and not at all if a link limited one of the
    runs; False if by rates"""
    by_byte: bool
    """True if TCP is compared by cost per byte of payload; False if per packet, as UDP is"""
    gated: bool
    """True if the shape of a rise is asked only where the rise matters"""
    primary: bool
    """True if `Claim.primary` decides, if a claim has it"""

    @property
    def methods(self) -> dict[ErrorRate, CorrectionMethod]:
        """How each rate is kept; only `error_rate` decides."""
        return {"family_wise": self.family_wise, "false_discovery": "fdr_bh"}


RULES = {
    1: Rules(1, "family_wise", "holm", False, False, gated=False, primary=False),
    2: Rules(2, "false_discovery", "bonferroni", True, False, gated=True, primary=True),
    3: Rules(3, "false_discovery", "bonferroni", True, True, gated=True, primary=True),
}
PRESENT = 3
"""the version with which a campaign begins"""
COST = "cpu_per_packet"
"""metric that compares suites by datagrams where rules are `by_cost` [us]"""
COST_OF_BYTE = "cpu_per_megabyte"
"""metric that compares them by TCP where rules are `by_byte` [ms/MB]"""
_TURNED = {"lead": "trail", "trail": "lead"}
_OTHER_END = {"min": "max", "max": "min"}


def as_cost(test: Question, metric: str = COST) -> Question:
    """The question about processor time, of a packet or of a byte: a rate that processors limit is
    its inverse. Sides, extremes, and the study's number are therefore inverted; effects matter from
    the same factor on."""
    return test.model_copy(
        update={
            "metric": metric,
            "quantity": _TURNED.get(test.quantity, test.quantity),
            "reduce": _OTHER_END.get(test.reduce, test.reduce),
            "expect": _inverse(test.expect),
            "size": _inverse(test.size),
            "study": None if test.study is None else f"1 / ({test.study})",
            "because": f"{test.because}; a cost is the inverse of a rate",
        }
    )


def _inverse(expect: Expect | None) -> Expect | None:
    """The bounds of 1 / x from bounds of x."""
    if expect is None:
        return None
    least, most = bounds(expect)
    if expect[0] in "<>":
        other = "<" if expect[0] == ">" else ">"
        return f"{other} {1 / float(expect[2:]):.6g}"
    return f"{1 / most:.6g} to {1 / least:.6g}"
