"""Faigl's study: profiler samples on the initiator, by authentication method."""

from typing import Annotated, ClassVar

from pydantic import Field

from remeasure.bench.claims.published import Published, Row

_Count = Annotated[int, Field(ge=0, lt=1_000_000)]


class Samples(Row):
    """One row: the samples of one method, by the library or kernel in which they were taken."""

    key: ClassVar = (("method",),)
    method: str
    libcrypto: _Count
    libc: _Count
    vmlinux: _Count
    yenta: _Count

    @property
    def authentication(self) -> int:
        """Samples of authentication: all but the samples of yenta, a driver."""
        return self.libcrypto + self.libc + self.vmlinux


def samples(study: Published) -> list[Samples]:
    """The samples of Faigl's study, from its YAML file. Raises UserError."""
    return study.rows("samples", Samples)
