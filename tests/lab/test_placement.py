"""Which cores guests get, as tables: topologies, cores and processors."""

import pytest
from cases import cases

from remeasure.bench.base.topology import Topology, load_topology
from remeasure.bench.lab.placement import path_of, place
from remeasure.bench.lab.testbeds import BACKENDS, LabTestbed, processors
from remeasure.bench.testbed.treatments.instructions import Wanted


def network(links: str, **fields) -> Topology:
    """A topology with a link for each word: 'a-b b-c'."""
    pairs = [word.split("-") for word in links.split()]
    ends = {
        f"link{i}": {host: f"10.0.{i}.{j}/24" for j, host in enumerate(pair, 1)}
        for i, pair in enumerate(pairs)
    }
    return Topology.model_validate({"name": "made-up", "links": ends} | fields)


def written(placement) -> str:
    """'client1 0, gw1 0, ...' in the order of the path, and the rest for our own process."""
    guests = ", ".join(f"{host} {'+'.join(map(str, c))}" for host, c in placement.cores.items())
    return f"{placement.kind}: {guests}; {'+'.join(map(str, placement.harness))}"


@pytest.mark.parametrize(
    ("topology", "usable", "cpus", "expected"), cases(__file__, "computed_from_the_links")
)
def test_computed_from_the_links(topology, usable, cpus, expected):
    found = place(load_topology(topology), usable, cpus, "pinned")
    assert written(found) == expected


@pytest.mark.parametrize(
    ("links", "path", "groups"),
    [
        ("b-c a-b d-e c-d", "a b c d e", "a 0, b 0, c 1, d 1, e 1"),
        ("hub-x hub-y hub-z", "x hub y z", "x 0, hub 0, y 1, z 1"),
        ("a-b b-c c-d d-a", "a b c d", "a 0, b 0, c 1, d 1"),
        ("a-b c-d", "a b c d", "a 0, b 0, c 1, d 1"),
    ],
    ids=["a row in another order", "star", "ring", "two networks"],
)
def test_neighbours_in_the_path_stay_together(links, path, groups):
    topology = network(links)
    assert path_of(topology) == path.split()
    found = place(topology, [0, 1], 1, "pinned")
    assert written(found) == f"side by side: {groups}; 0+1"


@pytest.mark.parametrize(
    ("backend", "cpus", "placement", "expected"),
    cases(__file__, "hosts_of_one_kernel_count_its_processors"),
)
def test_hosts_of_one_kernel_count_its_processors(monkeypatch, backend, cpus, placement, expected):
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {9, 3, 5})
    kind = BACKENDS[backend]
    assert [*processors(kind, cpus, placement)] == expected


def test_only_cores_that_we_may_use(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {9, 3, 5})
    testbed = LabTestbed(name="lab", backend="netns")
    netns = testbed.place(load_topology("host-to-host"), Wanted(2))
    assert written(netns) == "together: left 3+5, right 3+5; 9"
