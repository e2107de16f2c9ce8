"""Reading a pair of wg-quick(8) files, or one, whose other end is made from its [Peer]. Keys that
are redacted or absent are made from a seed, so they are the same on every machine."""

import base64
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface
from itertools import islice
from pathlib import Path

from remeasure.bench.ipsec.kinds.wireguard import INTERFACE
from remeasure.bench.ipsec.pki import seeded_bytes
from remeasure.bench.tryout.addresses import ANYWHERE, ASSUMED, Net, common, set_outer, without
from remeasure.bench.tryout.conf import Refused, Section
from remeasure.bench.tryout.identities import SEED
from remeasure.bench.tryout.pair import End, Ip, Pair, is_name
from remeasure.bench.tryout.wireguard.quick_file import (
    KEY_BYTES,
    LEFT_OUT,
    QuickFile,
    endpoint,
    interfaces,
    is_key,
    public_key,
    read_quick,
)

CONF = f"/run/wireguard/{INTERFACE}.conf"
"""path of the configuration in a guest"""
RENEWED_S = 120
"""age at which a session is renewed (https://www.wireguard.com/papers/wireguard.pdf, 6.1)"""
_UNANSWERED_S = 15
"""time without an answer after which an end begins a new handshake (6.5: 10 s and 5 s)"""
_NOBODY = ip_address("192.0.2.254")
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
        return _allowed(self.peers[self.peer(end).name])


def read_quick_pair(left: Path, right: Path | None) -> WireguardPair:
    """Two ends from a file each; without `right`, its peer is made. Raises Refused."""
    one, notes = read_quick(left), []
    if right is None:
        tried = next((peer for peer in one.peers if peer.text("Endpoint")), one.peers[0])
        other = _mirrored(one, tried)
        notes.append("right was made by mirroring left's [Peer]")
        peers = {"left": tried, "right": other.peers[0]}
    else:
        other = read_quick(right)
        peers = {"left": _peer_for(one, other), "right": _peer_for(other, one)}
    files = {"left": one, "right": other}
    keys = _complete_keys(files, peers) | ({"right": []} if right is None else {})
    ends = (_end(name, file, peers[name], keys[name]) for name, file in files.items())
    pair = WireguardPair(
        next(ends), next(ends), notes, files=files, peers=peers, misfits=_misfits(files, peers)
    )
    if not any(end.can_initiate for end in pair.ends):
        why = "no [Peer] has an Endpoint: nobody can begin; expected one at one end"
        raise Refused(f"{left}, {right}: {why}")
    set_outer(pair, frozenset())
    _set_hosts(pair)
    for end in pair.ends:
        _finish(pair, end)
    return pair


def _allowed(peer: Section) -> list[Net]:
    return [one.network for one in interfaces(peer, "AllowedIPs")]


def _peer_for(file: QuickFile, other: QuickFile) -> Section:
    """The [Peer] that stands for another file: by its key, else by its addresses."""
    private = other.interface.text("PrivateKey")
    key = public_key(private) if is_key(private) else ""
    own = [one.ip for one in interfaces(other.interface, "Address")]

    def fit(peer: Section) -> tuple[bool, bool]:
        return peer.text("PublicKey") == key, any(ip in net for ip in own for net in _allowed(peer))

    return max(file.peers, key=fit)


def _end(name: str, file: QuickFile, peer: Section, notes: list[str]) -> End:
    """An end, with settings of swanctl.conf(5) that stand for its [Peer]: its address, how a
    session begins, and how soon a lost peer is noticed."""
    child = f"peer{next(n for n, one in enumerate(file.peers, 1) if one is peer)}"
    begins = "start" if peer.text("PersistentKeepalive", "off") not in ("0", "off") else "trap"
    names = {"remote_addrs": endpoint(peer)[0], "dpd_delay": f"{RENEWED_S}s"}
    children = {child: {"start_action": begins}}
    conf = Section.of({"connections": {INTERFACE: {**names, "children": children}}})
    conf["connections"][INTERFACE].spot = peer.spots.get("Endpoint", peer.spot)
    timers = {"retransmit_tries": "0", "retransmit_timeout": str(_UNANSWERED_S)}
    daemon = Section.of({"charon": timers})
    return End(name, file.path, conf, INTERFACE, child, notes=notes, daemon=daemon)


def _complete_keys(files: dict[str, QuickFile], peers: dict[str, Section]) -> dict[str, list[str]]:
    """Fill in missing keys. `files`: name of an end -> its file; `peers`: name of an end -> its
    [Peer] for the other end. Returns name of an end -> notes."""
    notes: dict[str, list[str]] = {name: [] for name in files}
    shared = next(
        filter(is_key, (one.text("PresharedKey") for one in peers.values())), _made("preshared")
    )
    for name, file in files.items():
        (other,) = files.keys() - {name}
        made = not is_key(file.interface.text("PrivateKey"))
        if made:
            file.interface["PrivateKey"] = _made(name)
            notes[name].append("its private key is not in the file: another one was made")
        if made or not is_key(peers[other].text("PublicKey")):
            peers[other]["PublicKey"] = public_key(file.interface["PrivateKey"])
        for number, peer in enumerate(file.peers):
            tried, key = peer is peers[name], peer.text("PresharedKey")
            if key and not is_key(key):
                peer["PresharedKey"] = shared
                notes[name] += ["its preshared key is not in the file"] * tried
            if not tried and not is_key(peer.text("PublicKey")):
                peer["PublicKey"] = public_key(_made(f"{name} {number}"))
    return notes


def _made(name: str) -> str:
    return base64.b64encode(seeded_bytes(f"{SEED}/wireguard/{name}", KEY_BYTES)).decode()


def _misfits(files: dict[str, QuickFile], peers: dict[str, Section]) -> list[str]:
    """Keys and ports of two ends between which no handshake can succeed, in words."""
    found = []
    for name, peer in peers.items():
        (other,) = peers.keys() - {name}
        interface, port = files[other].interface, endpoint(peer)[1]
        if peer.text("PublicKey") != public_key(interface.text("PrivateKey")):
            found.append(f"{name}'s PublicKey does not belong to {other}'s PrivateKey")
        listens = interface.text("ListenPort", "a random one")
        if port and listens != port:
            found.append(
                f"{name}'s Endpoint has port {port}, but {other}'s ListenPort is {listens}"
            )
    if len({peer.text("PresharedKey") for peer in peers.values()}) > 1:
        found.append("the PresharedKeys differ, or only one end has one")
    return found


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
    every = [one for of in pair.files.values() for one in interfaces(of.interface, "Address")]
    tunnel = [one.network for one in every]
    behind = [one for one in allowed if one.prefixlen and not common([one], tunnel)]
    room = without(behind, [one for one in pair.allowed(pair.peer(end)) if one.prefixlen])
    if not room and own:
        return own[0], "", False
    if not room and version == 4 and any(not one.prefixlen for one in allowed):
        room = [ANYWHERE[4][end.name]]
    if not room:
        return None
    free: list[Ip] = list(islice(room[0].hosts(), 2))
    return free[-1], f"{free[0]}/{room[0].prefixlen}" if len(free) > 1 else "", True


def _finish(pair: WireguardPair, end: End) -> None:
    """The end's file, and notes of what is not as it was. Raises Refused."""
    file, peer = pair.files[end.name], pair.peers[end.name]
    far, ways = pair.peer(end).public, _allowed(peer)
    if any(net.prefixlen and far in net for net in ways):
        raise peer.refuse(
            "AllowedIPs", f"{far}, the Endpoint, is one of them: packets of the tunnel would enter "
            "the tunnel, unless a route that no file shows leads elsewhere; expected networks "
            "without it, or 0.0.0.0/0"
        )  # fmt: skip
    for other in file.peers:
        if is_name(host := endpoint(other)[0]):
            end.names.setdefault(host, _NOBODY)
    if len(file.peers) > 1:
        end.notes.append(f"only {end.child} is tried; {len(file.peers) - 1} more are loaded")
    end.notes += [f"{key} left out: {LEFT_OUT[key]}" for key in file.interface if key in LEFT_OUT]
    table = file.interface.text("Table", "auto")
    if table != "auto":
        pair.only_set_up = f"{end.name} has Table = {table}, so no route leads into the tunnel"
    elif any(not net.prefixlen for net in ways):
        end.notes.append("all traffic enters the tunnel by wg-quick's rules for routes; its "
            "firewall rule is left out")  # fmt: skip
    end.files[CONF] = file.text


def _mirrored(file: QuickFile, peer: Section) -> QuickFile:
    """The other end, without keys. Raises Refused."""
    own, allowed = interfaces(file.interface, "Address"), _allowed(peer)
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
    mtu = file.interface.text("MTU")
    interface = {"Address": ", ".join(address), "ListenPort": port, "MTU": mtu}
    there = {"PresharedKey": peer.text("PresharedKey")}
    there["AllowedIPs"] = ", ".join(str(ip_interface(one.ip)) for one in own)
    there["Endpoint"] = "" if host else f"{ASSUMED[4]['left']}:{listens}"
    path = Path(f"mirror of {file.path}")
    return QuickFile(path, Section.of(interface), [Section.of(there)])
