"""Real flows of D-ITG, one directly after the other in a trial."""

from pathlib import Path

import pytest
from real_guests import run_inside

from remeasure.bench.probes.ditg import Ditg

pytestmark = [pytest.mark.lab, pytest.mark.slow]

HERE = Path(__file__).parent
RATE, LATE = 50, 1.0
"""rate of the link [Mbit/s], and what a guest that stood still may get at once afterwards [Mbit]"""


@pytest.fixture(scope="module")
def logs(shared_project) -> Path:
    return shared_project.folder / "trials"


@pytest.fixture(scope="module")
def trials(shared_project, logs):
    """Trials of flows.yaml: one with a sender that is stopped, and one after it that is left
    alone."""
    return run_inside(shared_project, HERE / "inside_flows.py", logs)


def runs(record: dict, logs: Path) -> dict[tuple, dict[str, float]]:
    """(name, transport, load, repeat) -> metric -> value; of a metric with an index the last."""
    found: dict[tuple, dict[str, float]] = {}
    for entry in record["logs"]:
        levels = entry.get("levels", {})
        key = (entry["name"], levels.get("transport"), levels.get("load"), entry["repeat"])
        for o in Ditg.parse(entry["file"], (logs / entry["file"]).read_bytes()):
            found.setdefault(key, {})[o.metric] = o.value
    return found


def test_all_flows_of_a_trial_go_to_one_server(trials, logs):
    record = trials["modern"]
    assert record["verdict"] != "rejected", record["reasons"]
    assert len(runs(record, logs / "modern")) == 2 * 2 * 2 + 1
    lines = [(command["host"], command["argv"][-1]) for command in record["commands"]]
    serving = [host for host, line in lines if "setsid ITGRecv" in line]
    assert sorted(serving) == ["left", "right"]  # a receiver in each direction


def test_every_flow_has_its_own_packets(trials, logs):
    """Those of a flow before would make it longer, and be too many."""
    asked = {"moderate": (0.4, 500), "saturation": (0.8, 50_000), None: (0.3, 200)}
    for (_, _, load, _), seen in runs(trials["modern"], logs / "modern").items():
        seconds, rate = asked[load]
        assert seen["received"] <= seconds * rate * 1.05
        assert seen["goodput_interval"] <= RATE + LATE / 0.1


def test_goodput_of_a_window_stands_beside_the_whole_flow(trials, logs):
    for (_, _, load, _), seen in runs(trials["modern"], logs / "modern").items():
        whole = seen["received_bytes"] * 8e-6 / seen["duration"]
        if load == "saturation":
            assert 0 < seen["goodput"] <= RATE + LATE / 0.5
        else:
            assert seen["goodput"] == pytest.approx(whole, rel=1e-3)


def test_decoding_belongs_to_no_run(trials):
    """Counters are read between a flow and the decoding of its log, and again after it."""
    record = trials["modern"]
    commands = sorted(record["commands"], key=lambda command: command["start_ns"])
    lines = [command["argv"][-1] for command in commands]
    kinds = [
        kind
        for line in lines
        for kind, word in (
            ("send", " ITGSend -a"),
            ("count", "xfrm-state"),
            ("decode", " ITGDec /"),
        )
        if word in line
    ]
    first = kinds.index("send")
    assert kinds[first : first + 7] == [
        "send",
        "count",
        "count",
        "decode",
        "count",
        "count",
        "send",
    ]


def test_nothing_of_a_trial_sends_during_the_next(trials):
    """ITGSend closes its connection a second after a flow."""
    assert trials["modern"]["sending"] == {"left": "", "right": ""}


def test_a_sender_that_is_stopped_rejects_its_trial_and_no_other(trials):
    record = trials["stopped"]
    assert record["verdict"] == "rejected"
    assert record["reasons"][0].startswith("left: exit 1: ")
    assert "Started sending packets of flow ID: 1" in record["reasons"][0]
