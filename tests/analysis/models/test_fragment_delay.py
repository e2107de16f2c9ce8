"""Messages in several packets, behind delays that each packet draws for itself."""

import numpy as np
import pytest

from notebooks.psk_rsa.reading import last_of


def test_the_last_of_normal_delays_is_known():
    """Expected maxima of 1 to 5 standard normal variables, from tables of order statistics."""
    known = [0, 1 / np.sqrt(np.pi), 1.5 / np.sqrt(np.pi), 1.02938, 1.16296]
    assert [last_of(k, 1) for k in range(1, 6)] == pytest.approx(known, abs=1e-5)
    assert last_of(2, 20) == pytest.approx(11.2838, abs=1e-4)


def test_exchanges_are_simulated():
    """Two requests per set-up, the second in two packets or in three: the drawn surplus equals the
    model's."""
    random = np.random.default_rng(7)
    delays = random.normal(100, 20, (400_000, 4))
    whole = delays[:, 0] + delays[:, 1]
    for packets in (2, 3):
        cut = delays[:, 0] + delays[:, 1 : 1 + packets].max(axis=1)
        found = (cut - whole).mean()
        assert last_of(packets, 20) == pytest.approx(found, abs=0.15)
