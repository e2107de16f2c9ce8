"""Sokol 2011: transfer rates of AH and ESP suites (its tables I and II)."""

from typing import Literal

from remeasure import config
from remeasure.claims.published import Published


class Rate(config.Strict):
    """One row: the transfer rates of a suite."""

    suite: str
    mode: Literal["tunnel", "transport"]
    test_1: float
    """rate of test I, 500 files [Mbit/s]"""
    test_2: float
    """rate of test II, one file [Mbit/s]"""


def rates(study: Published) -> list[Rate]:
    """The rates of Sokol 2011, from its YAML file. Raises UserError."""
    return study.rows("rates", Rate)
