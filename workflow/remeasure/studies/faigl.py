"""Study faigl: profiler samples on the initiator, by authentication method."""

from remeasure import config
from remeasure.analysis.published import Published


class Samples(config.Strict):
    """One row: the samples of a method, by the library or kernel they fell in."""

    method: str
    libcrypto: int
    libc: int
    vmlinux: int
    yenta: int

    @property
    def authentication(self) -> int:
        """Samples of authentication: all but those of yenta, a driver."""
        return self.libcrypto + self.libc + self.vmlinux


def samples(study: Published) -> list[Samples]:
    """Raises UserError."""
    return study.rows("samples", Samples)
