"""A cell of real guests against itself, by the command."""

import re

import pytest
import yaml
from real_guests import add_small_scenario

from remeasure.analysis.summaries import read_tables

pytestmark = [pytest.mark.lab, pytest.mark.slow]


# Two hosts, and no tunnel, whose set-up in each of six trials would show nothing here.
ENDS = {"source": "left", "target": "right"}
SCENARIO = {
    "study": "none",
    "title": "Two networks",
    "topology": "host-to-host",
    "blocks": 1,
    "factors": {
        "network": {
            "plain": {},
            "slow": {"shaping": {"left.wire": {"netem": "delay 20ms"}}},
        }
    },
    "probes": {
        "latency": {"probe": "ping", "count": 3, "interval": 0.2} | ENDS,
        "waits": {"probe": "known_wait", "count": 2, "each": {"pause_ms": [0, 5, 20]}} | ENDS,
    },
}


def test_a_cell_against_itself(shared_project):
    path = shared_project.folder / "config/scenarios/two-hosts.yaml"
    path.write_text(yaml.safe_dump(SCENARIO))
    command = ["remeasure", "aa", "two-hosts", "--rounds", "3", "--probes", "latency,waits"]
    command += ["--only", "pause_ms=0,20", "--repeats", "2"]
    status, output = shared_project.run(*command, "--cell", "network=slow")
    assert status == 0, output
    (folder,) = (shared_project.folder / "results/aa/two-hosts").iterdir()
    assert len(list(folder.glob("block-0[123].zip"))) == 3
    tables = read_tables(folder)
    trials = tables["trials"]
    assert set(trials["network"]) == {"slow"} and set(trials["verdict"]) <= {"accepted", "suspect"}
    assert (
        trials.groupby("block")["twin"].agg(lambda names: "".join(sorted(names))).tolist()
        == ["ab"] * 3
    )
    # How exactly twins agree is the machine's matter; that each ping waited for netem is not.
    (rtt,) = re.findall(r"latency +rtt +([\d.]+) \[[\d.]+, [\d.]+\] +[\d.]+ % +3 ", output)
    assert 0.5 < float(rtt) < 2
    pings = tables["observations"].query("probe == 'latency' and metric == 'rtt'")["value"]
    assert len(pings) >= 6 and (pings >= 20).all()
    assert "The bench can see a difference of" in output
    # A train tells a pause of 20 ms from none, and knows how exactly.
    waits = tables["observations"].query("probe == 'waits'")
    waits = waits.pivot_table(
        index="pause_ms", columns="metric", values="value", aggfunc="median", observed=True
    )
    assert waits.loc["20", "pause"] > 20 and waits.loc["20", "wait"] > waits.loc["0", "wait"] + 10
    assert set(tables["observations"]["repeat"]) == {1, 2}
    assert set(waits.index) == {"0", "20"} and (waits["grain"] < 5).all()
    assert not (shared_project.folder / "data/raw/aa").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["small", "--repeats", "0"], "--repeats: found 0, expected at least 1"),
        (["small", "--rounds", "2"], "--rounds: found 2, expected at least 3"),
        (["small", "--probes", "pong"], "--probes: found pong, expected probes of cell"),
        (
            ["small", "--only", "pause_ms=3"],
            "--only: found pause_ms, expected a factor within",
        ),
        (["small", "--settings", "[1]"], "--settings: found '[1]', expected a mapping"),
        (["small", "--settings", "{a: b"], ": not valid YAML: "),
        (["small", "--cell", "network=fast"], "--cell network=fast: no such cell of small"),
        (["smal"], "smal.yaml: no such file; scenarios known: "),
    ],
)
def test_what_cannot_be_measured_is_said_in_one_line(shared_project, arguments, said):
    add_small_scenario(shared_project)
    status, output = shared_project.run("remeasure", "aa", *arguments)
    assert status == 1 and said in output and output.count("\n") == 1, output
