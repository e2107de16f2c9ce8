"""No number in print is a count of packets, or a share of a run's packets, without the duration or
the rate of that run in its sentence."""

import json

import pytest
import yaml
from run_numbers import faults, number_of, printed, read_numbers, sentences_of

from remeasure.bench.base.paths import ROOT
from remeasure.paper.publish.findings import FINDINGS

RAN = {
    # A leak after an outage, of 450 s at 20 packets per second each way.
    "outageShare": ({"text": "97.3", "source": "clear_share; cause stopped", "value": 97.3}, {"%"}),
    "outageLeft": ({"text": "42", "source": "clear; cause stopped", "value": 42}, {"packets"}),
    "outageAll": ({"text": "43", "source": "packets in the clear, all causes", "value": 43}, set()),
    "outageTime": ({"text": "2.1", "source": "responder_clear_time", "value": 2.1}, {"s"}),
    "renewalSent": ({"text": "300000", "source": "sent: datagrams, all trials"}, set()),
    "renewalLost": ({"text": "none", "source": "lost: datagrams, all trials", "value": 0}, set()),
    "windowRefused": ({"text": "79.6", "source": "refused; window 32", "value": 79.6}, {"%"}),
    "windowAdvised": ({"text": "128", "source": "narrowest measured window, packets"}, set()),
    "pskPacket": ({"text": "2", "source": "packets of a request, at most", "value": 2}, set()),
    "claimsLoss": ({"text": "16", "unit": r"\percent", "source": "published: lost pings"}, set()),
    "benchFalse": ({"text": "5.1", "unit": r"\percent", "source": "share of differences"}, set()),
}
NUMBERS = {name: number_of(*one) for name, one in RAN.items()}
BELONG_TO_THE_RUN = {
    "An orderly stop sent «outageShare» % of all packets unencrypted.": ["outageShare"],
    "An outage of 10 s sent «outageShare» % of all packets in the clear.": ["outageShare"],
    "Traps make them none and «outageLeft» packets.": ["outageLeft"],
    "Setting trap let «outageAll» out.": ["outageAll"],
    "It lost «renewalLost» of «renewalSent» datagrams.": ["renewalSent"],
    "At 100 Mbit/s it refused «windowRefused» % of all packets of a run.": ["windowRefused"],
    "It refused «windowRefused» %, and «windowAdvised» was enough.": ["windowRefused"],
}
SAY_ENOUGH = [
    "In a run of 450 s, «outageShare» % of all packets left unencrypted.",
    "Traffic left for «outageTime» s.",
    "It lost «renewalLost» of «renewalSent» at 1000 datagrams per second.",
    "Two paths at 100 Mbit/s had «windowRefused» % refused.",
    "Set «windowAdvised» packets.",
    "A request takes «pskPacket» packets.",
    "The study lost «claimsLoss».",
    "Of all comparisons that sent packets «benchFalse» of differences were false.",
]


@pytest.mark.parametrize(("sentence", "named"), BELONG_TO_THE_RUN.items())
def test_a_number_of_a_run_is_found(sentence, named):
    assert faults(sentence, NUMBERS) == named


@pytest.mark.parametrize("sentence", SAY_ENOUGH)
def test_a_number_that_tells_its_run_is_none(sentence):
    assert faults(sentence, NUMBERS) == []


def test_no_number_in_print_belongs_to_a_run(built_project):
    numbers = read_numbers(built_project.folder / "results/handed")
    found = list(sentences_of(ROOT, FINDINGS))
    assert sum("«" in sentence for _, sentence in found) > 300
    assert {
        f"{file}: {printed(sentence, numbers)}": wrong
        for file, sentence in found
        if (wrong := faults(sentence, numbers))
    } == {}


def test_the_chart_of_outages_has_every_cause(built_project):
    chart = (built_project.folder / "results/handed/outage/figures/outage-clear.json").read_text()
    drawn = {row["level"] for rows in json.loads(chart)["datasets"].values() for row in rows}
    causes = yaml.safe_load((ROOT / "notebooks/outage/scenario.yaml").read_text())["factors"][
        "cause"
    ]
    assert drawn == set(causes)
