"""The rules by which renewals are read, at their edges."""

import pytest

from notebooks.renewal.reading import Renewed, agrees, predicted_ms, reading


def cell(lost=(0, 0), clear=(0, 0)) -> Renewed:
    return Renewed(lost, clear, 1.0, 1)


@pytest.mark.parametrize(
    ("lost", "clear", "said"),
    [
        ((0, 0), (0, 0), "loses nothing, nothing in the clear"),
        ((101, 100), (0, 0), "loses packets, nothing in the clear"),
        ((0, 0), (1, 0), "loses nothing, packets in the clear, unseen by a loss test of one dir"),
        ((100, 0), (100, 100), "loses packets, packets in the clear, unseen by a loss test"),
        ((1, 1), (1, 1), "loses packets, packets in the clear"),
        ((0, 5), (5, 5), "loses packets, packets in the clear, unseen"),
    ],
)
def test_what_a_cell_says(lost, clear, said):
    assert reading(cell(lost, clear)).startswith(said)
    assert ("unseen" in reading(cell(lost, clear))) == ("unseen" in said)


def test_two_round_trips_and_what_is_computed():
    assert predicted_ms(50, 9) == 109
    assert agrees({0: 0, 50: 100, 200: 400}, 1) is True
    assert agrees({0: 9, 50: 110, 200: 409}, 1) is True
    assert agrees({0: 0, 50: 150, 200: 600}, 1) is False, "three round trips"
    assert agrees({0: 9, 50: 100}, 1) is False, "computing is missing"
    assert agrees({50: 100, 200: 400}, 1) is None and agrees({0: 0}, 1) is None
