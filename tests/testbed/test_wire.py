"""Real links of 10 Mbit/s: what an echo of 1428 bytes takes longer than one of 84."""

from pathlib import Path

import pytest
from real_guests import run_inside

pytestmark = pytest.mark.lab

MORE = 2 * 8e3 * (1428 - 84) / 10e6
"""what 1344 bytes need there and back [ms]: 2.15"""


@pytest.fixture(scope="module")
def found(shared_project):
    return run_inside(shared_project, Path(__file__).with_name("inside_wire.py"))


def longer(found: dict, way: str) -> float:
    small, large = found[way]["least"]
    return large - small


@pytest.mark.parametrize("way", ["wire", "delayed wire"])
def test_a_link_takes_time_to_send_a_packet(found, way):
    assert 0.8 * MORE < longer(found, way) < 2 * MORE


def test_a_token_bucket_takes_none(found):
    assert longer(found, "token bucket") < 0.5 * MORE


def test_each_is_proven_after_tcp_has_filled_it(found):
    """TCP is handed to the interface in super-packets, of which none reaches the wire."""
    assert {way: said["failed"] for way, said in found.items() if said["failed"]} == {}


def test_what_has_priority_does_not_wait_in_a_full_queue(found):
    assert found["priority"]["others"] > 20
    assert found["priority"]["first"] < 0.5 * found["priority"]["others"]


def test_a_delay_comes_before_the_wire(found):
    assert found["delayed wire"]["least"][0] > 10
