"""A running pair of WireGuard gateways, and the questions that are asked in another way than to
IPsec: the handshake, and the renewal of a session."""

from __future__ import annotations

import struct
from typing import Any, cast

from remeasure.bench.ipsec.kinds.wireguard import INTERFACE, WINDOW
from remeasure.bench.testbed.tools import wait_until
from remeasure.bench.tryout import seen, try_flows, try_network
from remeasure.bench.tryout.pair import End
from remeasure.bench.tryout.running_pair import RunningPair
from remeasure.bench.tryout.try_events import EVENTS
from remeasure.bench.tryout.try_pair import TryKind
from remeasure.bench.tryout.wireguard.quick_pair import CONF, RENEWED_S, WireguardPair

_REJECTED_S = 180
"""age at which a session ends (https://www.wireguard.com/papers/wireguard.pdf, 6.1)"""
_INITIATION, _RESPONSE, _DATA = 1, 2, 4
"""types of messages (5.4)"""
_RATE = 50
"""datagrams per second of a flow over a renewal, each way"""
_AFTER_S = 6.0
"""time of that flow after the renewal is due [s]"""
_DOWN = f"wg-quick down {CONF} >/run/wg.out 2>&1 || true\n"


class RunningWireguard(RunningPair):
    """One guest, with interfaces that wg-quick(8) makes. It believes that it has nft(8)."""

    start_lines = f"""\
mkdir -p /run/bin; ln -sf /bin/true /run/bin/nft; ln -sfn /proc/self/fd /dev/fd
PATH=/run/bin:$PATH wg-quick up {CONF} >/run/wg.out 2>&1 || grep -v '^\\[#\\]' /run/wg.out || true
"""
    stop_lines = kill_lines = _DOWN
    forget_lines = ""

    def bring_up(self) -> str:
        end, peer = self.initiator, self.pair.peer(self.initiator)
        if "start" not in end.starts and not self.pair.only_set_up:
            ping = f"ping -q -c 1 -W 1 {peer.host} >/dev/null"
            self.sh(try_network.host_of(end), wait_until(ping, "exit 1", 12, 0), check=False)
            return "trap"
        if "start" not in end.starts:
            key = _pair(self).peers[end.name].text("PublicKey")
            self.sh(end.name, f"wg set {INTERFACE} peer {key} persistent-keepalive 25", check=False)
        done = f"wg show {INTERFACE} latest-handshakes | grep -qv '\\s0$'"
        self.sh(end.name, wait_until(done, "exit 1", 200, 0.1), check=False)
        return "start" if "start" in end.starts else "hand"

    def up(self) -> bool:
        self.start()
        self.bring_up()
        self.sleep(1)
        return self.is_up()

    def children(self, end: End) -> list[dict[str, Any]]:
        """The session with the other end, as `allowed` networks and the time of its handshake; none
        if that is too long ago."""
        key = _pair(self).peers[end.name].text("PublicKey")
        for line in self.sh(end.name, f"wg show {INTERFACE} dump", check=False).splitlines()[1:]:
            peer, _, _, allowed, handshake, *_ = line.split("\t")
            if peer == key and self.now() - int(handshake) < _REJECTED_S:
                return [{"allowed": allowed.split(","), "handshake": int(handshake)}]
        return []

    def log(self, end: End, since: float = 0) -> list[tuple[float, str]]:
        """None: the kernel keeps no log."""
        return []

    def windows(self, end: End) -> list[int]:
        return [WINDOW]

    def learn_virtual(self) -> None:
        """WireGuard gives no addresses to a peer."""


def _pair(running: RunningPair) -> WireguardPair:
    return cast(WireguardPair, running.pair)


def set_up_wireguard(running: RunningPair) -> dict[str, Any]:
    """Bring the tunnel up. Returns a try_answers.SetUpAnswer, or why there was no handshake."""
    pair, end = _pair(running), running.initiator
    with try_flows.captured(running, f"udp and not {seen.UNPROTECTED}") as captures:
        complaints = running.start()
        began = running.bring_up()
        running.sleep(0.5)
    tools, linux = running.sh("left", "wg --version | cut -d ' ' -f 2; uname -r").split()
    found: dict[str, Any] = {
        "program": "WireGuard",
        "versions": {"wireguard-tools": tools.removeprefix("v"), "Linux": linux},
        "up": running.is_up(),
        "initiator": end.name,
        "began": began,
        "notes": [*pair.notes, *(f"{e.name}: {note}" for e in pair.ends for note in e.notes)],
        "complaints": complaints,
        "raw": {e.name: running.sh(e.name, f"wg show {INTERFACE}", check=False) for e in pair.ends},
    }
    if not found["up"]:
        return found | {"reason": _reason(pair, complaints)}
    (own,), (theirs,) = running.children(end), running.children(pair.peer(end))
    ping = f"ping -q -c 4 -i 0.2 -W 2 {pair.right.host} >/dev/null && echo yes"
    answered = not pair.only_set_up and running.sh(
        try_network.host_of(pair.left), ping, check=False
    )  # fmt: skip
    child = {"name": end.child, "protocol": "WireGuard", "mode": "tunnel"}
    child |= {"proposal": "CHACHA20_POLY1305", "local": theirs["allowed"], "remote": own["allowed"]}
    shared = ", PresharedKey" if pair.peers[end.name].text("PresharedKey") else ""
    return {
        **found,
        **_handshake(captures, end),
        "ike": "Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s",
        "in_udp": True,
        "children": [child],
        "lifetimes_s": {"session_renewed": RENEWED_S},
        "authentication": [f"PublicKey{shared}"],
        "windows": {one.name: running.windows(one) for one in pair.ends},
        "no_traffic": pair.only_set_up,
        "answered": bool(answered),
    }


def _handshake(captures: dict[str, bytes], end: End) -> dict[str, Any]:
    """Messages of the handshake, and its time: the end that begins sends data, or a keepalive, as
    soon as it has its response."""
    sent = {name: list(seen.datagrams(capture)) for name, capture in captures.items()}
    kinds = {
        name: [(one.at, struct.unpack_from("<I", one.payload)[0], one.length) for one in of]
        for name, of in sent.items()
    }
    own = [one for of in kinds.values() for one in of if one[1] in (_INITIATION, _RESPONSE)]
    begun = [at for at, kind, _ in kinds[end.name] if kind == _INITIATION]
    ended = [at for at, kind, _ in kinds[end.name] if kind == _DATA]
    return {
        "negotiation": {
            "exchanges": sum(kind == _RESPONSE for _, kind, _ in own),
            "datagrams": len(own),
            "bytes": sum(length for _, _, length in own),
            "fragments": {},
        },
        "took_ms": round((ended[0] - begun[0]) * 1e3, 2) if begun and ended else None,
    }


def _reason(pair: WireguardPair, complaints: dict[str, str]) -> dict[str, Any]:
    lines = [f"{name}: {line}" for name, said in complaints.items() for line in said.splitlines()]
    if lines:
        return {"words": "wg-quick refuses a configuration", "lines": lines[-8:]}
    words = "; ".join(pair.misfits) or "no handshake succeeds, although keys and ports fit"
    return {"words": words, "lines": []}


def renewals_wireguard(running: RunningPair) -> dict[str, Any]:
    """Losses and leaks of a flow while a session is renewed, as a try_answers.RenewalAnswer."""
    if not running.up():
        return {}
    ends = running.pair.ends
    before = [running.children(end)[0]["handshake"] for end in ends]
    with try_flows.captured(running, seen.UNPROTECTED) as captures:
        logs = try_flows.end_flows(
            running, try_flows.begin_flows(running, RENEWED_S + _AFTER_S, try_flows.FlowRate(_RATE))
        )
    leaked = {one: seen.leaked_at(capture) for one, capture in captures.items()}
    ran = try_flows.Flows(try_flows.FlowRate(_RATE), logs)
    after = [child["handshake"] for end in ends for child in running.children(end)]
    answer = {
        "planned": True,
        "renewed": after != before,
        "up": running.is_up(),
        "lost_s": {one: round(len(ran.lost_at(one)) / _RATE, 3) for one in logs},
        "leaked_s": {one: round(len(times) / _RATE, 3) for one, times in leaked.items()},
        "refused": [],
        "proposal": "",
    }
    return {"session": answer}


WIREGUARD = TryKind(
    RunningWireguard,
    set_up_wireguard,
    renewals_wireguard,
    # There is no daemon to kill.
    events=tuple(name for name in EVENTS if name != "kill"),
)
