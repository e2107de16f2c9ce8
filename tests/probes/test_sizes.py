"""The sweep of probe sizes, and what its two parts say together."""

import pytest
from pydantic import ValidationError

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.readers.sizes_log import largest_in, sizes_run
from remeasure.bench.probes.sizes import Sizes

FOLDER = "tcpdump-4.99.6"
ENDS = {"source": "client1", "target": "client2", "gateway": "gw1", "peer": "gw2"}


def without(text: str, first: int, last: int) -> str:
    """A sweep without the datagrams of numbers `first` to `last`, which are its first or its last
    ones, numbered from 1."""
    lines = text.splitlines()
    kept = [line for line in lines if line.startswith("datagram")]
    wire = lines[1 + len(kept) :]
    run = sizes_run("x", text.encode())
    marker, groups, at = wire[:2], [], 2
    for datagram in run.datagrams:
        end = at + 2 * len(datagram.packets) + 2
        groups.append(wire[at:end])
        at = end
    chosen = [n for n in range(len(kept)) if not first <= n + 1 <= last]
    sent = [kept[n].split(" ", 2)[2] for n in chosen]
    numbered = [f"datagram {n} {rest}" for n, rest in enumerate(sent, 1)]
    packets = [line for n in chosen for line in groups[n]]
    return "\n".join([lines[0], *numbered, *marker, *packets, *wire[at:], ""])


def test_the_largest_is_the_last_in_one_packet(fixture):
    run = sizes_run("x", fixture(f"{FOLDER}/sizes-tunnel.sweep.log"))
    largest = largest_in("x", run)
    assert (largest.size, [p.length for p in largest.packets]) == (1418, [1500])
    (above,) = [d for d in run.datagrams if d.size == 1419]
    assert [(p.length, p.fragment) for p in above.packets] == [(1500, True), (24, True)]


@pytest.mark.parametrize(("first", "last", "found"), [(1, 3, "0 of 22"), (4, 25, "3 of 3")])
def test_a_sweep_on_one_side_of_the_largest_is_refused(fixture, first, last, found):
    text = without(fixture(f"{FOLDER}/sizes-tunnel.sweep.log").decode(), first, last)
    with pytest.raises(LogError, match=f"found '{found} sizes in one packet"):
        list(Sizes.parse("x.sweep.log", text.encode()))


def test_a_range_has_two_ends():
    with pytest.raises(ValidationError, match="least 1480: expected less than most, 1480"):
        Sizes(**ENDS, least=1480, most=1480)
