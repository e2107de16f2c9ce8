"""Reading a pair of wg-quick(8) files, or one, whose other end is made from its [Peer]."""

from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface, ip_network
from itertools import islice
from pathlib import Path

from remeasure.bench.ipsec.kinds.wireguard import INTERFACE
from remeasure.bench.tryout.addresses import assumed_address
from remeasure.bench.tryout.conf import Refused, Section
from remeasure.bench.tryout.pair import End, Ip, Pair, address_of, is_name
from remeasure.bench.tryout.selectors import Net, without
from remeasure.bench.tryout.wireguard.quick_file import (
    LEFT_OUT,
    QuickFile,
    endpoint,
    interfaces,
    read_quick,
)
from remeasure.bench.tryout.wireguard.quick_keys import complete_keys, is_key, misfits, public_key

CONF = f"/run/wireguard/{INTERFACE}.conf"
"""path of the configuration in a guest"""
RENEWED_S = 120
"""age at which a session is renewed (https://www.wireguard.com/papers/wireguard.pdf, 6.1)"""
_UNANSWERED_S = 15
"""time without an answer after which an end begins a new handshake (6.5: 10 s and 5 s)"""
_ELSEWHERE = {"left": ip_network("198.18.1.0/24"), "right": ip_network("198.18.2.0/24")}
"""networks of hosts behind ends that have no address in the tunnel (RFC 2544)"""
_NOBODY: Ip = ip_address("192.0.2.254")
"""stands for ends that are not tried"""


@dataclass
class WireguardPair(Pair):
    """Two ends of a WireGuard tunnel. Each has its settings in the terms of swanctl.conf(5), for
    which the lab's questions ask."""

    files: dict[str, QuickFile] = field(default_factory=dict)
    peers: dict[str, Section] = field(default_factory=dict)
    """name of an end -> its [Peer] for the other end"""
    misfits: list[str] = field(default_factory=list)
    """keys, ports and addresses that do not fit, in words"""

    @property
    def versions(self) -> set[int]:
        """wg-quick adds all addresses and routes, so they need their IP version, too."""
        nets = [one for end in self.ends for one in (*self.own(end), *self.allowed(end))]
        return super().versions | {one.version for one in nets}

    @property
    def debian_lacks(self) -> bool:
        return True

    def own(self, end: End) -> list[Ip]:
        """An end's own addresses in the tunnel."""
        return [one.ip for one in interfaces(self.files[end.name].interface, "Address")]

    def allowed(self, end: End) -> list[Net]:
        """Networks that an end's peer sends to it."""
        peer = self.peers[self.peer(end).name]
        return [one.network for one in interfaces(peer, "AllowedIPs")]


def read_quick_pair(left: Path, right: Path | None) -> WireguardPair:
    """Two ends from a file each; without `right`, its peer is made. Raises Refused."""
    one, notes = read_quick(left), []
    if right is None:
        tried = next((peer for peer in one.peers if peer.text("Endpoint")), one.peers[0])
        other = read_quick(Path(f"mirror of {left}"), _mirrored(one, tried))
        notes.append("right was made by mirroring left's [Peer]")
        peers = {"left": tried, "right": other.peers[0]}
    else:
        other = read_quick(right)
        peers = {"left": _peer_for(one, other), "right": _peer_for(other, one)}
    files = {"left": one, "right": other}
    keys = complete_keys(files, peers) | ({"right": []} if right is None else {})
    ends = {name: _end(name, file, peers[name], keys[name]) for name, file in files.items()}
    unfit = misfits(files, peers)
    pair = WireguardPair(
        ends["left"], ends["right"], notes, files=files, peers=peers, misfits=unfit
    )
    _set_outer(pair)
    _set_hosts(pair)
    for end in pair.ends:
        _finish(pair, end)
    return pair


def _peer_for(file: QuickFile, other: QuickFile) -> Section:
    """The [Peer] that stands for another file: by its key, else by its addresses."""
    private = other.interface.text("PrivateKey")
    key = public_key(private) if is_key(private) else ""
    own = [one.ip for one in interfaces(other.interface, "Address")]

    def fit(peer: Section) -> tuple[bool, bool]:
        nets = [one.network for one in interfaces(peer, "AllowedIPs")]
        return peer.text("PublicKey") == key, any(ip in net for ip in own for net in nets)

    return max(file.peers, key=fit)


def _end(name: str, file: QuickFile, peer: Section, notes: list[str]) -> End:
    """An end, with settings of swanctl.conf(5) that stand for its [Peer]: its address, how a
    session begins, and how soon a lost peer is noticed."""
    child = f"peer{next(n for n, one in enumerate(file.peers, 1) if one is peer)}"
    begins = "start" if peer.text("PersistentKeepalive", "off") not in ("0", "off") else "trap"
    names = {"remote_addrs": endpoint(peer)[0], "dpd_delay": f"{RENEWED_S}s"}
    children = {child: {"start_action": begins}}
    conf = Section.of({"connections": {INTERFACE: {**names, "children": children}}})
    timers = {"retransmit_tries": "0", "retransmit_timeout": str(_UNANSWERED_S)}
    daemon = Section.of({"charon": timers})
    return End(name, file.path, conf, INTERFACE, child, notes=notes, daemon=daemon)


def _set_outer(pair: WireguardPair) -> None:
    """Set the outer addresses. Raises Refused."""
    hosts = {end.name: endpoint(pair.peers[pair.peer(end).name])[0] for end in pair.ends}
    if not any(hosts.values()):
        raise Refused(
            f"{pair.left.source}, {pair.right.source}: no [Peer] has an Endpoint: nobody can "
            "begin; expected one at one end"
        )
    versions = {one.version for host in hosts.values() if (one := address_of(host))} or {4}
    for end in pair.ends:
        peer = pair.peer(end)
        found = address_of(hosts[end.name])
        if not found:
            found = assumed_address(end.name, min(versions))
            end.notes.append(f"no file names its address: {found} assumed")
        end.outer = end.public = found
        if is_name(hosts[end.name]):
            peer.names[hosts[end.name]] = found
        for net in pair.allowed(end):
            if net.prefixlen and found in net:
                raise pair.peers[peer.name].refuse(
                    "AllowedIPs", f"{found}, the Endpoint, is one of them: packets of the tunnel "
                    "would enter the tunnel, unless a route that no file shows leads elsewhere; "
                    "expected networks without it, or 0.0.0.0/0"
                )  # fmt: skip
    if len(versions) > 1 or pair.left.outer == pair.right.outer:
        why = "expected two Endpoints of one family, each with an address of its own"
        raise pair.peers["right"].refuse("Endpoint", why)


def _set_hosts(pair: WireguardPair) -> None:
    """Set the hosts that send. Raises Refused."""
    for version in (4, 6):
        found = [_host(pair, end, version) for end in pair.ends]
        if all(found):
            for end, (host, lan, behind) in zip(pair.ends, filter(None, found), strict=True):
                end.host, end.lan, end.behind = host, lan, behind
                if not any(host in net for net in pair.allowed(end)):
                    unfit = f"{pair.peer(end).name}'s AllowedIPs lack {host}, {end.name}'s Address"
                    pair.misfits.append(unfit)
            pair.notes += pair.misfits
            return
    raise Refused(
        f"{pair.left.source}, {pair.right.source}: no IP version has an Address, or a network of "
        "the peer's own in its AllowedIPs, at both ends; expected one"
    )


def _host(pair: WireguardPair, end: End, version: int) -> tuple[Ip, str, bool] | None:
    """The host of an end, its gateway's address there, and whether it is behind the gateway: in a
    network behind the end if its peer allows one, else the end itself."""
    own = [one for one in pair.own(end) if one.version == version]
    allowed = [one for one in pair.allowed(end) if one.version == version]
    tunnel = [
        one.network for of in pair.files.values() for one in interfaces(of.interface, "Address")
    ]
    theirs = [one for one in pair.allowed(pair.peer(end)) if one.prefixlen]
    behind = [
        one
        for one in allowed
        if one.prefixlen
        and not any(one.version == net.version and one.overlaps(net) for net in tunnel)
    ]
    room = without(behind, theirs)
    if not room and own:
        return own[0], "", False
    if not room and version == 4 and any(not one.prefixlen for one in allowed):
        room = [_ELSEWHERE[end.name]]
    if not room:
        return None
    free: list[Ip] = list(islice(room[0].hosts(), 2))
    return free[-1], f"{free[0]}/{room[0].prefixlen}" if len(free) > 1 else "", True


def _finish(pair: WireguardPair, end: End) -> None:
    """The end's file, and notes of what is not as it was."""
    file = pair.files[end.name]
    for peer in file.peers:
        if is_name(host := endpoint(peer)[0]):
            end.names.setdefault(host, _NOBODY)
    if len(file.peers) > 1:
        end.notes.append(f"only {end.child} is tried; {len(file.peers) - 1} more are loaded")
    end.notes += [f"{key} left out: {LEFT_OUT[key]}" for key in dict.fromkeys(file.dropped)]
    table = file.interface.text("Table", "auto")
    if table != "auto":
        pair.only_set_up = f"{end.name} has Table = {table}, so no route leads into the tunnel"
    elif any(not one.prefixlen for one in pair.allowed(pair.peer(end))):
        end.notes.append("all traffic enters the tunnel by wg-quick's rules for routes; its "
            "firewall rule is left out")  # fmt: skip
    end.files[CONF] = file.text


def _mirrored(file: QuickFile, peer: Section) -> str:
    """The text of the other end, without keys. Raises Refused."""
    own = interfaces(file.interface, "Address")
    allowed = [one.network for one in interfaces(peer, "AllowedIPs")]
    address = [str(one) for one in allowed if one.num_addresses == 1]
    taken = {one.ip for one in own}
    for one in own if not address else ():
        shared = [net for net in (one.network, *allowed) if net.prefixlen and one.ip in net]
        free = (ip for net in shared for ip in islice(net.hosts(), 2) if ip not in taken)
        address += [f"{ip}/{one.network.prefixlen}" for ip in islice(free, 1)]
    host, port = endpoint(peer)
    listens = file.interface.text("ListenPort")
    if not host and not listens:
        raise peer.refuse("Endpoint", "nobody can begin; expected an Endpoint or a ListenPort")
    interface = {"Address": ", ".join(address), "ListenPort": port}
    interface["MTU"] = file.interface.text("MTU")
    there = {"PresharedKey": peer.text("PresharedKey")}
    there["AllowedIPs"] = ", ".join(str(ip_interface(one.ip)) for one in own)
    if not host:
        there["Endpoint"] = f"{assumed_address('left')}:{listens}"
    lines = []
    for head, of in (("[Interface]", interface), ("[Peer]", there)):
        lines += [head, *(f"{key} = {value}" for key, value in of.items() if value)]
    return "\n".join(lines)
