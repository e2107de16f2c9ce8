"""How a trial proves the versions of its hosts' programs, if strongSwan comes from an older Debian
release (lab.image.Suite) and measuring tools from the present one."""

import re
from collections.abc import Iterable, Mapping
from functools import partial

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.testbed.host_kind import STRONGSWAN, upstream
from remeasure.bench.testbed.treatments.treatment import Prover

_ASK = "(swanctl --version; swanctl --version --daemon; tc -V; ip -V; iperf3 --version) 2>&1"
_FOUND = {
    STRONGSWAN: r"strongSwan (?:[a-z-]+ )?([0-9]\S*)",
    "iproute2": r"utility, iproute2-([^\s,]+)",
    "iperf3": r"^iperf (\S+)",
}
"""Debian package -> its versions in the answer, one for each program and for a running daemon"""


def version_provers(packages: Mapping[str, str], hosts: Iterable[str]) -> Iterable[Prover]:
    """Each host has strongSwan and measuring tools of these versions (package -> Debian's
    version)."""
    wanted = {name: upstream(packages[name]) for name in _FOUND}
    for host in hosts:
        yield Prover(host, {f"proof.{host}.versions.txt": _ASK}, partial(_check, host, wanted))


def _check(host: str, wanted: Mapping[str, str], said: str) -> list[Check]:
    found = {name: set(re.findall(form, said, re.MULTILINE)) for name, form in _FOUND.items()}
    return [
        equal("versions", f"{host}: version of {name}", ", ".join(sorted(found[name])), version)
        for name, version in wanted.items()
    ]
