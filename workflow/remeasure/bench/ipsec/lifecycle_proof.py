"""Proof that daemons of gateways know the lifecycle of the cell's tunnel.

`swanctl --list-conns` shows what an end does when the peer closes or is silent, and `--list-pols`
its policies without an SA. Neither shows `keyingtries`; strongSwan refuses a connection with an
option that it does not know. It says nothing of options of `charon`, and ignores those that it does
not know, so its libraries are searched for their names.
"""

import re
from collections.abc import Iterable
from functools import partial

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.ipsec.lifecycle import Lifecycle
from remeasure.bench.ipsec.sas import Vici, read_list_conns, read_list_policies
from remeasure.bench.ipsec.swanctl import CONNECTION, GUARD
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.testbed.treatments.treatment import Prover, Question

_LIBRARIES = "/usr/lib/ipsec /usr/lib64/ipsec /usr/lib/strongswan /usr/libexec/ipsec"
"""folders in which distributions keep strongSwan's libraries"""
_SHOWN = {"clear": "none", "restart": "start"}
"""dpd_action -> how strongSwan shows it, where it shows another word"""


def lifecycle_provers(tunnel: Tunnel | None) -> Iterable[Prover]:
    """Each gateway's daemon has the lifecycle of the cell; nothing where a cell asks for none."""
    if tunnel is None or tunnel.lifecycle == Lifecycle():
        return
    for gateway in tunnel.gateways:
        questions = [
            Question(f"proof.{gateway}.list-conns.txt", "swanctl --list-conns --raw"),
            Question(f"proof.{gateway}.list-pols.txt", "swanctl --list-pols --raw"),
            Question(f"proof.{gateway}.charon-options.txt", ask_known(tunnel.lifecycle)),
        ]
        yield Prover(gateway, questions, partial(check_lifecycle, tunnel, gateway))


def ask_known(lifecycle: Lifecycle) -> str:
    """A line for a shell that tells of each option of the daemon whether a library of strongSwan
    names it."""
    names = sorted(lifecycle.charon)
    return (
        "\n".join(
            f"if grep -rqsF {name} {_LIBRARIES}; "
            f"then echo {name} known; else echo {name} unknown; fi"
            for name in names
        )
        or "true"
    )


def check_lifecycle(
    tunnel: Tunnel, gateway: str, list_conns: str, list_pols: str, options: str
) -> list[Check]:
    """Compare what the daemon of a gateway lists with the cell. Raises ValueError if a listing
    cannot be read."""
    return [
        *_check_connection(tunnel, gateway, read_list_conns(list_conns)),
        _check_policies(tunnel, gateway, list_pols),
        *_check_options(tunnel, gateway, options),
    ]


def _check_connection(tunnel: Tunnel, gateway: str, found: Vici) -> Iterable[Check]:
    connection, own = found.get(CONNECTION, {}), tunnel.reactions(gateway)
    children = connection.get("children", {}) if isinstance(connection, dict) else {}
    child = children.get(CONNECTION) if isinstance(children, dict) else None
    if not isinstance(connection, dict) or not isinstance(child, dict):
        yield Check("lifecycle", f"{gateway}: connection", False, "none", CONNECTION)
        return
    delay = tunnel.lifecycle.dpd_delay
    wanted = None if delay is None else str(delay)
    yield equal("lifecycle", f"{gateway}: dpd_delay (s)", connection.get("dpd_delay"), wanted)
    actions = {
        "dpd_action": _SHOWN.get(own.dpd_action, own.dpd_action),
        "close_action": own.close_action,
    }
    for name, action in actions.items():
        yield equal("lifecycle", f"{gateway}: {name}", child.get(name), action)


def _check_policies(tunnel: Tunnel, gateway: str, list_pols: str) -> Check:
    """The policies that a daemon keeps without an SA: for the packet that negotiates, and for what
    is dropped."""
    wanted = set()
    if tunnel.reactions(gateway).start_action == "trap":
        wanted.add(f"{CONNECTION} {tunnel.mode.upper()}")
    if tunnel.lifecycle.guard:
        wanted.add(f"{GUARD} DROP")
    found = {f"{p.get('child')} {p.get('mode')}" for p in read_list_policies(list_pols)}
    # Where the last SA was lost or closed, these actions leave such a policy behind.
    own = tunnel.reactions(gateway)
    if "trap" in (own.dpd_action, own.close_action) and own.start_action != "trap":
        found.discard(f"{CONNECTION} {tunnel.mode.upper()}")
    listed = ["; ".join(sorted(policies)) or "none" for policies in (found, wanted)]
    return equal("lifecycle", f"{gateway}: policies without an SA", *listed)


def _check_options(tunnel: Tunnel, gateway: str, options: str) -> Iterable[Check]:
    said = dict(re.findall(r"^(\S+) (known|unknown)$", options, re.MULTILINE))
    for name in sorted(tunnel.lifecycle.charon):
        what = f"{gateway}: option charon.{name} of strongSwan"
        yield equal("lifecycle", what, said.get(name, "not asked"), "known")
