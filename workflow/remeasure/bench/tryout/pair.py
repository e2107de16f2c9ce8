"""Two ends of a tunnel, as their configurations describe them and as the lab builds them."""

import re
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from remeasure.bench.tryout.conf import Section, Spot

Ip = IPv4Address | IPv6Address
NOWHERE: Ip = ip_address("0.0.0.0")
LEGACY = "/etc/ipsec.d"
"""folder of ipsec.conf and of its files in a guest"""
LEGACY_CONF = f"{LEGACY}/ipsec.conf"
WHOLE, PID = "/run/strongswan.conf", "/run/charon.pid"
"""files of a guest: strongswan.conf(5) in one, and the number of charon's process"""
_UNITS_S = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_ACTIONS = {"start": "start", "restart": "start", "trap": "trap", "route": "trap"}
"""word of swanctl.conf(5) -> charon's action (parse_action in vici_config.c)"""
_RETRANSMIT = {"tries": 5, "timeout": 4.0, "base": 1.8, "limit": 0}
"""defaults of strongswan.conf(5), charon.retransmit_*"""


@dataclass
class End:
    """One end. `name`: left or right; `source`: the file or folder as given; `conf`: its
    swanctl.conf; `connection`, `child`: their names in it."""

    name: str
    source: Path
    conf: Section
    connection: str = ""
    child: str = ""
    outer: Ip = NOWHERE
    """its own address"""
    public: Ip = NOWHERE
    """the address under which the peer sees it; behind NAT, another than its own"""
    host: Ip | None = None
    """the host whose traffic is protected; None: a virtual address, learnt when the tunnel is up"""
    behind: bool = False
    """whether that host is behind the gateway"""
    lan: str = ""
    """the gateway's own address in the host's network, with prefix length; empty: none"""
    names: dict[str, Ip] = field(default_factory=dict)
    """names of hosts that must resolve"""
    files: dict[str, str] = field(default_factory=dict)
    """path in the guest -> text"""
    notes: list[str] = field(default_factory=list)
    """what was changed, made or assumed"""
    daemon: Section = field(default_factory=lambda: Section(Spot(Path("strongswan.conf"), 1)))
    """its strongswan.conf"""

    @property
    def conn(self) -> Section:
        """The connection that is tried."""
        return self.conf.section("connections").section(self.connection)

    @property
    def tested(self) -> Section:
        """The child that is tried."""
        return self.conn.section("children").section(self.child)

    def rounds(self, side: str) -> list[Section]:
        """The rounds of authentication of a side, local or remote, in charon's order."""
        found = self.conn.sections(side).values()
        order = sorted(found, key=lambda one: int("0" + re.sub(r"\D", "", one.text("round"))))
        return order or [Section(self.conn.spot)]

    def auths(self, side: str) -> list[str]:
        """The method of each round of a side."""
        return [one.text("auth", "pubkey") for one in self.rounds(side)]

    @property
    def starts(self) -> set[str]:
        """Start actions of the child: trap, start, both or none."""
        words = re.split(r"\s*\|\s*", self.tested.text("start_action"))
        return {_ACTIONS[word] for word in words if word in _ACTIONS}

    @property
    def can_initiate(self) -> bool:
        """Whether the end knows an address or a name of its peer."""
        return any(address_of(one) or is_name(one) for one in self.conn.items_of("remote_addrs"))

    @property
    def if_ids(self) -> tuple[str, str]:
        """Interface ids of the child, in and out; "0": none."""
        inward, outward = (
            next((one for of in (self.tested, self.conn) if (one := of.text(key, "0")) != "0"), "0")
            for key in ("if_id_in", "if_id_out")
        )
        return inward, outward

    def seconds(self, key: str, default: float = 0, child: bool = False) -> float:
        """A time of the connection or of its child [s]. Raises Refused."""
        return seconds_of(self.tested if child else self.conn, key, default)

    @property
    def gives_up_s(self) -> float:
        """Time from the first copy of an unanswered message until charon gives up [s]."""
        found = dict(_RETRANSMIT)
        for key in found:
            for daemon in ("charon", "charon-systemd"):
                value = self.daemon.section(daemon).text(f"retransmit_{key}")
                found[key] = float(value) if re.fullmatch(r"[\d.]+", value) else found[key]
        pauses = [found["timeout"] * found["base"] ** n for n in range(int(found["tries"]) + 1)]
        return sum(min(one, found["limit"]) if found["limit"] else one for one in pauses)


@dataclass
class Pair:
    """Both ends."""

    left: End
    right: End
    notes: list[str] = field(default_factory=list)
    only_set_up: str = ""
    """why no traffic can be sent; empty: it can"""
    begin_s: int = 0
    """time after virtual_lab.EPOCH_S at which all given certificates are valid [s]"""

    @property
    def ends(self) -> list[End]:
        """The left and the right end."""
        return [self.left, self.right]

    def peer(self, end: End) -> End:
        """The other end."""
        return self.right if end is self.left else self.left

    @property
    def versions(self) -> set[int]:
        """IP versions in use, outside and inside the tunnel."""
        hosts = {end.host.version for end in self.ends if end.host}
        return {end.outer.version for end in self.ends} | hosts

    @property
    def debian_lacks(self) -> bool:
        """Whether an end needs XFRM interfaces or IP-TFS, which Debian's guest kernel lacks."""
        return any(
            end.if_ids != ("0", "0") or end.tested.text("mode") == "iptfs" for end in self.ends
        )


def seconds_of(section: Section, key: str, default: float = 0) -> float:
    """A time of a section [s]. Raises Refused."""
    value = section.text(key)
    if not value:
        return float(default)
    match = re.fullmatch(r"(\d+)\s*([smhd]?)", value)
    if not match:
        raise section.refuse(key, "not a time; expected a number and s, m, h or d")
    return float(match[1]) * _UNITS_S[match[2]]


def address_of(text: str) -> Ip | None:
    """The address that an item of `local_addrs` or `remote_addrs` names; None: any, a network, a
    range or the name of a host."""
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return None if found.is_unspecified else found


def is_name(text: str) -> bool:
    """Whether an item of a list of addresses is the name of a host."""
    return re.fullmatch(r"(?=.*[A-Za-z])[\w.-]+", text) is not None and not address_of(text)
