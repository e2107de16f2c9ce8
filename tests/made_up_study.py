"""A study with claims that are made up, and summaries of trials to answer them with."""

from frames import frame

from remeasure.bench.claims.claim import Claim
from remeasure.bench.claims.published import Published
from remeasure.bench.claims.rules import PRESENT, RULES
from remeasure.paper.analysis.verdicts.choices import Analyst
from remeasure.paper.analysis.verdicts.judging import judge
from remeasure.paper.analysis.verdicts.ledger import entries
from remeasure.paper.analysis.verdicts.readable import BenchFacts

RATIO = {"quantity": "ratio", "metric": "goodput", "of": {"auth": "rsa"}, "to": {"auth": "psk"}}
BENCH = BenchFacts()
STATED = {**RATIO, "expect": "> 1", "matters": 1.01, "because": "made up"}


PSK, RSA = [90.0, 94, 91, 95, 92], [93.0, 97, 95, 97, 96]
SAME = [90.4, 93.8, 91.3, 94.7, 92.2]
"""no difference that matters from PSK"""


def study(*claims, name="s", **fields):
    return Published(
        name=name,
        author="A",
        reference="r",
        scenario="psk-rsa",
        claims=[Claim(id=f"{name}-{i}", says="", **claim) for i, claim in enumerate(claims, 1)],
        **fields,
    )


def summaries(psk, rsa, metric="goodput"):
    """One trial a cell and block."""
    rows = [
        (block, 2 * block + place, auth, value)
        for place, (auth, values) in enumerate((("psk", psk), ("rsa", rsa)))
        for block, value in enumerate(values)
    ]
    found = frame("block trial auth value", *rows, probe="tcp", metric=metric, unit="Mbit/s")
    return found.astype({"value": float})


def ledger_of(asked, table, others, rules=1, bench=BENCH, stood=None):
    """Entries from summaries `table`, and from other summaries for each estimator."""

    def both(summaries):
        return {"mean": summaries, "median": summaries}

    judged = judge(asked, both(table), RULES[rules], bench, stood)
    later = judge(asked, both(table), RULES[PRESENT], bench) if rules == 1 else None
    estimators = {name: both(other) for name, other in others.items()}
    analyst = Analyst(asked, both(table), estimators, judged, bench)
    shown = analyst.specifications()
    return entries(asked, judged, later, analyst.choices({}), shown, 5, stood or {})
