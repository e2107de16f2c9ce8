"""Which trials measure performance, and which function only."""

import pandas as pd

from remeasure.analysis.models.performance_or_function import PERFORMANCE, standing


def test_standing():
    trials = pd.DataFrame(
        {
            "accelerator": ["none", "none", "tcg", "kvm"],
            "guest_cpus": [2, 4, 2, 16],
            "machine_cpus": [2, 2, 2, 16],
        }
    )
    assert list(standing(trials)) == [
        PERFORMANCE,
        "function only: 4 guest processors on 2",
        "function only: emulated processors",
        PERFORMANCE,
    ]
