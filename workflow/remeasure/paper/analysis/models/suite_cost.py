"""The processor cost of a suite, by library, and the suites that may be deployed."""

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from remeasure.paper.analysis.summaries import Tables

REFERENCE = "aes128gcm16"
"""suite that the costs of others are divided by"""
ADVISED = (REFERENCE, "aes256gcm16", "chacha20poly1305", "aes128-sha256")
"""suites that RFC 8221 (sections 5 and 6) gives as MUST or SHOULD, without reservation: not DES,
3DES or MD5, nor SHA-1 (MUST-)"""
FACTOR = "library"
"""factor by which the scenario varies the library; earlier campaigns have the host's own library"""
_WAYS = ("outbound_cpu", "inbound_cpu")


def both_ways(summaries: pd.DataFrame) -> pd.DataFrame:
    """Summaries (analysis.summaries) of `cpu_per_packet`, the cost of a packet at both ends of an
    SA: the sum of outbound_cpu and inbound_cpu of each trial [ns]."""
    chosen = summaries[summaries["metric"].isin(_WAYS)]
    keys = [column for column in summaries if column not in ("metric", "value")]
    both = chosen.groupby(keys, observed=True, sort=False)["value"].agg(["sum", "size"])
    whole = both.loc[both["size"] == len(_WAYS), "sum"].rename("value").reset_index()
    return whole.assign(metric="cpu_per_packet")[list(summaries.columns)]


def has_aes_instructions(observations: pd.DataFrame) -> bool:
    """Whether libcrypto used AES instructions if they were not masked. If not, both levels of
    factor `instructions` are one treatment."""
    told = observations.query("metric == 'aes_instructions' and instructions == 'as-they-are'")
    return bool(len(told) and told["value"].min() > 0)


@dataclass(frozen=True)
class Library:
    """A library on one kind of host, as it was measured."""

    campaign: str
    backend: str
    """kind of host (columns.TABLES: trials)"""
    level: str
    """level of factor `library`; empty in campaigns that measured the host's own"""
    version: int
    """value of metric `library_version`"""

    @property
    def name(self) -> str:
        """The name as text: 'OpenSSL 3.6.5'."""
        major, rest = divmod(self.version, 10_000)
        return f"OpenSSL {major}.{rest // 100}.{rest % 100}"


def libraries(tables: Tables) -> list[Library]:
    """The measured libraries, older versions first; of one version in the order of the tables."""
    told = tables["observations"].query("metric == 'library_version'")
    level = told["library"] if FACTOR in tables.factors else pd.Series("", index=told.index)
    backends = tables["trials"].drop_duplicates("campaign").set_index("campaign")["backend"]
    found = dict.fromkeys(zip(told["campaign"], level, told["value"].astype(int), strict=True))
    every = [
        Library(campaign, backends[campaign], level, version) for campaign, level, version in found
    ]
    return sorted(every, key=lambda library: library.version)


def of_library(observations: pd.DataFrame, library: Library) -> pd.DataFrame:
    """The observations of one of the `libraries`."""
    chosen = observations[observations["campaign"] == library.campaign]
    return chosen[chosen[FACTOR] == library.level] if FACTOR in chosen else chosen


def were_apart(measured: Iterable[Library]) -> bool:
    """Whether some campaign measured two versions on its host. Otherwise a difference between
    versions may come from the hosts."""
    versions: dict[str, set[int]] = {}
    for library in measured:
        versions.setdefault(library.campaign, set()).add(library.version)
    return any(len(of_host) > 1 for of_host in versions.values())
