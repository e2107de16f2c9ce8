"""Reading a pair: from one or two files to all that the lab needs. It starts no guest."""

from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.tryout.addresses import set_hosts, set_outer
from remeasure.bench.tryout.choice import choose, choose_one
from remeasure.bench.tryout.ipsec_end import read_either_end
from remeasure.bench.tryout.made_files import make_missing
from remeasure.bench.tryout.mirror import mirrored
from remeasure.bench.tryout.operator_files import made_end
from remeasure.bench.tryout.pair import Pair
from remeasure.bench.tryout.refusals import refuse


def read_pair(
    left: Path,
    right: Path | None,
    *,
    connection: str = "",
    nat: frozenset[str] = frozenset(),
    version: str = "6.1",
    keys: str = "rsa2048",
) -> Pair:
    """Two ends from a swanctl.conf or ipsec.conf each, or a folder with one; without `right`, its
    peer is made. `connection`: the one to try; empty: the pair that fits best. `nat`: names of ends
    behind NAT. `version`: of strongSwan. `keys`: kind of keys that are made (identities.KINDS).
    Raises Refused with file and line, and UserError."""
    if nat - {"left", "right"}:
        raise UserError(f"--nat: found {', '.join(sorted(nat))}, expected left, right or both")
    one = read_either_end("left", left)
    if right is None:
        choose_one(one, connection)
        refuse(one, version)
        connection = one.connection
        pair = Pair(one, made_end("right", left, mirrored(one, nat)))
        pair.notes.append(f"right was made by mirroring {connection} of left")
    else:
        pair = Pair(one, read_either_end("right", right, one))
    choose(pair, connection)
    for end in pair.ends:
        refuse(end, version)
    set_outer(pair, nat)
    set_hosts(pair)
    make_missing(pair, keys)
    return pair
