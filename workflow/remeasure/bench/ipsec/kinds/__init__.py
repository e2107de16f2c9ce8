"""Kinds of tunnels, a module each. A new kind is a module here and an entry of KINDS."""

from typing import Annotated

from pydantic import BeforeValidator

from remeasure.bench.ipsec.control import TunnelControl
from remeasure.bench.ipsec.kinds.openvpn import Openvpn
from remeasure.bench.ipsec.kinds.wireguard import Wireguard
from remeasure.bench.ipsec.tunnel import LinuxControl, Tunnel

_ALL: list[type[LinuxControl]] = [TunnelControl, Wireguard, Openvpn]
KINDS = {one.settings.kind: one for one in _ALL}
"""name in a scenario file -> kind"""
DEFAULT = TunnelControl.settings.kind
"""kind of a tunnel whose settings name none"""


def read_tunnel(value: object) -> object:
    """The settings of a tunnel in a scenario file, as a model of its kind. Raises
    ValueError for an unknown kind, or settings of another one."""
    if not isinstance(value, dict):
        return value
    fields = dict(value)
    kind = fields.pop("kind", DEFAULT)
    if kind not in KINDS:
        raise ValueError(f"kind: found {kind!r}, expected one of {', '.join(KINDS)}")
    return KINDS[kind].settings.model_validate(fields)


AnyTunnel = Annotated[Tunnel, BeforeValidator(read_tunnel)]
"""a tunnel in a file, of the kind that it names"""
