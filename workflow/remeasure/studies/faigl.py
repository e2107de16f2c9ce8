"""Faigl's study: profiler samples on the initiator, by authentication method."""

from remeasure import config
from remeasure.claims.published import Published


class Samples(config.Strict):
    """One row: the samples of one method, by the library or kernel in which they were taken."""

    method: str
    libcrypto: int
    libc: int
    vmlinux: int
    yenta: int

    @property
    def authentication(self) -> int:
        """Samples of authentication: all but the samples of yenta, a driver."""
        return self.libcrypto + self.libc + self.vmlinux


def samples(study: Published) -> list[Samples]:
    """The samples of Faigl's study, from its YAML file. Raises UserError."""
    return study.rows("samples", Samples)
