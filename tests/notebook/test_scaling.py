"""Laws of scaling are found again in what was made by them."""

import numpy as np
import pandas as pd
import pytest

from notebooks.per_cpu_sas.model import (
    Law,
    fit_amdahl,
    fit_universal,
    fits,
    serial_share,
)


def test_laws_are_found_again():
    counts = np.array([1, 2, 4, 8, 16])
    amdahl = fit_amdahl(counts, Law(100, 0.2, 0).at(counts))
    assert (amdahl.single, amdahl.serial) == pytest.approx((100, 0.2))
    universal = fit_universal(counts, Law(50, 0.05, 0.01).at(counts))
    assert (universal.single, universal.serial, universal.coherence) == pytest.approx(
        (50, 0.05, 0.01), rel=1e-4
    )
    assert universal.most == pytest.approx((0.95 / 0.01) ** 0.5, rel=1e-4)


def test_serial_share_of_one_speed_up():
    assert serial_share(4, 4) == 0
    assert serial_share(1, 4) == 1
    assert serial_share(Law(1, 0.25, 0).at(8), 8) == pytest.approx(0.25)


@pytest.mark.parametrize(("fit", "counts"), [(fit_amdahl, [2, 2]), (fit_universal, [1, 2, 2])])
def test_too_few_counts(fit, counts):
    with pytest.raises(ValueError, match="counts of processors, expected at least"):
        fit(np.array(counts), np.ones(len(counts)))


def test_only_what_can_be_fitted_is():
    """Throughput doubles with the processors: no serial share."""
    table = pd.DataFrame({"cpus": ["1", "2", "4"], "value": [10.0, 20.0, 40.0]})
    assert fits(table[:1]) == {}
    assert set(fits(table[:2])) == {"Amdahl: serial share", "one processor"}
    found = fits(table)
    assert found["one processor"] == pytest.approx(10, rel=1e-3)
    assert found["universal: coherence"] == pytest.approx(0, abs=1e-3)
