"""The sweep of probe sizes, and its two parts together."""

import pytest
from pydantic import ValidationError

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.readers.sizes_log import largest_in, sizes_run
from remeasure.bench.probes.sizes import Sizes

FOLDER = "tcpdump-4.99.6"
ENDS = {"source": "client1", "target": "client2", "gateway": "gw1", "peer": "gw2"}


@pytest.mark.parametrize(("part", "found"), [(slice(3), "3 of 3"), (slice(3, None), "0 of 22")])
def test_a_sweep_on_one_side_of_the_largest_is_refused(fixture, part, found):
    _, sweep = sizes_run("x", fixture(f"{FOLDER}/sizes-tunnel.sweep.log"))
    with pytest.raises(LogError, match=f"found '{found} sizes in one packet"):
        largest_in("x", sweep[part])


def test_a_range_has_two_ends():
    with pytest.raises(ValidationError, match="least 1480: expected less than most, 1480"):
        Sizes(**ENDS, least=1480, most=1480)
