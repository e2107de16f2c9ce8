"""Sokol 2011: transfer rates of AH and ESP suites (its tables I and II)."""

from typing import ClassVar, Literal

from pydantic import Field

from remeasure.bench.claims.published import Published, Row


class Rate(Row):
    """One row: the transfer rates of a suite."""

    key: ClassVar = (("suite",), ("mode",))
    suite: str
    mode: Literal["tunnel", "transport"]
    test_1: float = Field(gt=0, lt=1_000_000)
    """rate of test I, 500 files [Mbit/s]"""
    test_2: float = Field(gt=0, lt=1_000_000)
    """rate of test II, one file [Mbit/s]"""


def rates(study: Published) -> list[Rate]:
    """The rates of Sokol 2011, from its YAML file. Raises UserError."""
    return study.rows("rates", Rate)
