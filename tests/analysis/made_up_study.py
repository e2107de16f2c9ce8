"""A study with claims that are made up, and summaries of trials to answer them with."""

import pandas as pd

from remeasure.analysis.answers import answer
from remeasure.analysis.ledger import entries
from remeasure.claims.claim import Claim
from remeasure.claims.published import Published

RATIO = {"quantity": "ratio", "metric": "goodput", "of": {"auth": "rsa"}, "to": {"auth": "psk"}}
STATED = {**RATIO, "expect": "> 1", "matters": 1.01, "because": "made up"}


PSK, RSA = [90.0, 94, 91, 95, 92], [93.0, 97, 95, 97, 96]


def study(*claims, **fields):
    return Published(
        name="s",
        reference="r",
        scenario="psk-rsa",
        claims=[Claim(id=f"s-{i}", says="", **claim) for i, claim in enumerate(claims, 1)],
        **fields,
    )


def summaries(psk, rsa, metric="goodput"):
    """One trial a cell and block."""
    return pd.DataFrame(
        [
            {
                "block": block,
                "trial": 2 * block + place,
                "auth": auth,
                "probe": "tcp",
                "metric": metric,
                "unit": "Mbit/s",
                "value": value,
            }
            for place, (auth, values) in enumerate((("psk", psk), ("rsa", rsa)))
            for block, value in enumerate(values)
        ]
    )


def ledger_of(asked, table, choices):
    """Entries from summaries `table`, and from other summaries for each choice."""

    def answers(summaries):
        return answer(asked.claims, {"mean": summaries, "median": summaries}, asked.groups)

    others = {name: answers(other) for name, other in choices.items()}
    return entries(asked, answers(table), 5, others, {}, {})
