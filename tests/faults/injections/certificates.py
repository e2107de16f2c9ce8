"""Faults of the credentials of a campaign, before it is measured: real certificates."""

import datetime
from contextlib import contextmanager
from types import SimpleNamespace

from injections import injection
from remeasure.bench.ipsec import pki


@injection
def certificate_of_another_authority(ground, name: str) -> None:
    """The host `name` has a certificate, chain of three, that no root of the campaign signed."""
    own, other = _credentials(ground), pki.Credentials(ground.temporary.parent / "other-secrets")
    for credentials in (other, own):
        credentials.root("rsa2048")
    other.end_entity(name, "rsa2048", 3)
    for path in other.folder.glob(f"{name}-*"):
        (own.folder / path.name).write_text(path.read_text())


@injection
def certificate_made(ground, wanted: dict) -> None:
    """`name`: the host; `days_ago`: when its certificate (chain of three) was made, negative for a
    day to come; `seconds`: for how long it is valid."""
    own = _credentials(ground)
    own.root("rsa2048")
    with _made(datetime.timedelta(days=wanted["days_ago"]), wanted.get("seconds")):
        own.end_entity(wanted["name"], "rsa2048", 3)


def _credentials(ground) -> pki.Credentials:
    return pki.Credentials(ground.project.folder / ".secrets/test")


@contextmanager
def _made(ago: datetime.timedelta, seconds: float | None):
    """Certificates are made as if by a clock that is so much behind, for so long."""

    class Clock(datetime.datetime):
        @classmethod
        def now(cls, zone=None):
            return datetime.datetime.now(zone) - ago

    real, lifetime = pki.datetime, pki.LIFETIME
    if seconds is not None:
        pki.LIFETIME = datetime.timedelta(seconds=seconds)
    pki.datetime = SimpleNamespace(datetime=Clock, timedelta=datetime.timedelta, UTC=datetime.UTC)
    try:
        yield
    finally:
        pki.datetime, pki.LIFETIME = real, lifetime
