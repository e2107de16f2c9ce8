"""Whether the tunnel comes up, what is negotiated, and the reason if it does not."""

from __future__ import annotations

import re
from typing import Any

from remeasure.bench.probes.readers import charon_log
from remeasure.bench.probes.readers.capture import IKE
from remeasure.bench.tryout import seen, try_flows, try_network
from remeasure.bench.tryout.pair import End
from remeasure.bench.tryout.running_pair import SWANCTL, RunningPair

_METHODS = ("encr-alg", "integ-alg", "prf-alg", "dh-group", *(f"ke{n}-alg" for n in range(1, 8)))
_TELLING = re.compile(
    r"fail|no .*(found|matching|chosen|shared key)|unacceptable|mismatch|invalid|refus|constraint|"
    r"(received|configured) proposals|NO_PROPOSAL|TS_UNACC|giving up|EAP_FAILURE|not supported|"
    r"initiating IKE_SA|looking for peer configs|retransmit",
    re.IGNORECASE,
)
_IDLE_TALK = re.compile(
    r"plugin|loading|feature|loaded|unable to load|(parsed|generating) |failed to create XFRM"
)
_REASONS = {
    r"(\w+): swanctl: starter: ((?!deprecated).*)": "starter refuses {0}'s ipsec.conf: {1}",
    r"(\w+): swanctl: (loading .* failed: .*)": "strongSwan refuses {0}'s file: {1}",
    r"traffic selectors .* unacceptable|TS_UNACCEPTABLE": (
        "the traffic selectors do not fit (local_ts, remote_ts)"
    ),
    r"(\w+): no IKE config found for ([^\s,]+)": (
        "{0} has no connection for {1} (local_addrs, remote_addrs)"
    ),
    r"(\w+): looking for peer configs matching .*\[(.*)\]\.\.\..*\[(.*)\]\n\1: no matching peer": (
        "{0} has no connection for its identity {1} and a peer {2} (id)"
    ),
    r"(\w+): unable to add SAD entry": "{0}'s kernel refuses the SA: a setting of its child",
    r"(\w+): .*MAC mismatched": "the secrets differ",
    r"(\w+): no shared key found for (.*)": "{0} has no secret for {1}",
    r"(\w+): constraint requires (.*), but (.*) was used": (
        "{0} expects {1}, but its peer uses {2} (auth)"
    ),
    r"(\w+): constraint check failed: (.*)": "{0} expects another identity of its peer: {1}",
    r"no alternative config": "an identity or a method of authentication is not the expected one",
    r"no trusted .* found|no issuer certificate|signature validation failed": (
        "a certificate or key is not trusted"
    ),
    r"EAP_FAILURE|EAP.*failed": "EAP failed",
    r"AUTHENTICATION_FAILED|authentication of .* failed": "authentication failed",
    r"received proposals: IKE": "the IKE proposals have nothing in common (proposals)",
    r"received proposals: (ESP|AH)": (
        "the ESP or AH proposals have nothing in common (esp_proposals, ah_proposals)"
    ),
    r"no acceptable|NO_PROPOSAL_CHOSEN": "the proposals have nothing in common",
    r"(\w+): initiating IKE_SA .* to (\S+)\n(.*\n)*\1: (retransmit|giving up)": (
        "nobody answers {0} at {1} (remote_addrs)"
    ),
}
"""pattern of lines of both ends -> reason in words, with its groups; the first that matches
holds"""


def set_up(running: RunningPair) -> dict[str, Any]:
    """Bring the tunnel up. Returns what was negotiated, or the reason why nothing was."""
    pair, end = running.pair, running.initiator
    with try_flows.captured(running, IKE) as captures:
        complaints = running.start()
        began = running.bring_up()
        running.sleep(0.5)
    found: dict[str, Any] = {
        "versions": _versions(running),
        "up": running.is_up(),
        "initiator": end.name,
        "began": began,
        "notes": [*pair.notes, *(f"{e.name}: {note}" for e in pair.ends for note in e.notes)],
        "complaints": complaints,
        "raw": {e.name: running.list_sas(e) for e in pair.ends},
    }
    if not found["up"]:
        return found | {"reason": reason(running, began, complaints)}
    running.learn_virtual()
    everything = [one for capture in captures.values() for one in seen.messages(capture)]
    found |= {"negotiation": seen.negotiation(everything), **_negotiated(running, end)}
    why_not = _no_traffic(running)
    return found | {"no_traffic": why_not, "answered": not why_not and _answered(running)}


def _versions(running: RunningPair) -> dict[str, str]:
    """Versions of strongSwan and Linux in the guest."""
    said = running.sh("left", f"{SWANCTL} --version; uname -r")
    strongswan, linux = re.findall(r"^(?:strongSwan swanctl )?([0-9]\S*)$", said, re.MULTILINE)
    return {"strongSwan": strongswan, "Linux": linux}


def _negotiated(running: RunningPair, end: End) -> dict[str, Any]:
    """Algorithms, selectors, lifetimes and times of the initiator's SAs."""
    sa = next(sa for sa in running.sas(end) if sa.get("state") == "ESTABLISHED")
    children, log = running.children(end), running.log(end)
    begun = [at for at, message in log if charon_log.INITIATING.fullmatch(message)]
    ended = [at for at, message in log if charon_log.CHILD_ESTABLISHED.fullmatch(message)]
    return {
        "ike": proposal(sa),
        "in_udp": "yes" in (sa.get("encap"), *(child.get("encap") for child in children)),
        "children": [
            {
                "name": child["name"],
                "protocol": child["protocol"],
                "mode": child["mode"].lower(),
                "proposal": proposal(child),
                "local": child.get("local-ts", []),
                "remote": child.get("remote-ts", []),
            }
            for child in children
        ],
        "lifetimes_s": {
            "child_rekeyed": _number(children[0].get("rekey-time")),
            "child_ends": _number(children[0].get("life-time")),
            "ike_rekeyed": _number(sa.get("rekey-time")),
            "reauthenticated": _number(sa.get("reauth-time")),
        },
        "authentication": [
            message[len("authentication of ") : -len(" successful")]
            for _, message in log
            if re.match(r"authentication of (?!.*\(myself\)).* successful$", message)
        ],
        "took_ms": round((ended[0] - begun[0]) * 1e3, 2) if begun and ended else None,
        "windows": {one.name: running.windows(one) for one in running.pair.ends},
    }


def proposal(sa: dict[str, Any]) -> str:
    """The algorithms of an SA of `swanctl --list-sas`, as in AES_CBC-128/HMAC_SHA2_256_128."""
    parts = []
    for key in _METHODS:
        if value := sa.get(key):
            bits = sa.get("encr-keysize") if key == "encr-alg" else None
            parts.append(f"{value}-{bits}" if bits else value)
    return "/".join([*parts, *(["ESN"] if sa.get("esn") == "1" else [])])


def _number(text: str | None) -> int | None:
    return int(text) if text else None


def _no_traffic(running: RunningPair) -> str:
    """The reason why no traffic can be sent; empty if it can."""
    pair = running.pair
    hosts = [end.host for end in pair.ends]
    if pair.only_set_up:
        return pair.only_set_up
    if not all(hosts):
        return "an end got no virtual address"
    if len({host.version for host in hosts if host}) > 1:
        return "the ends protect addresses of different families"
    return ""


def _answered(running: RunningPair) -> bool:
    """Whether the protected hosts reach each other."""
    left, right = running.pair.ends
    ping = f"ping -q -c 4 -i 0.2 -W 2 {right.host} >/dev/null && echo yes"
    return running.sh(try_network.host_of(left), ping, check=False).strip() == "yes"


def reason(running: RunningPair, began: str, complaints: dict[str, str]) -> dict[str, Any]:
    """Why the tunnel did not come up: in words, and the lines of both logs."""
    pair = running.pair
    lines = [
        f"{name}: swanctl: {line}"
        for name, said in complaints.items()
        for line in said.splitlines()
    ]
    for end in pair.ends:
        told = (
            message
            for _, message in running.log(end)
            if _TELLING.search(message) and not _IDLE_TALK.match(message)
        )
        lines += [f"{end.name}: {message}" for message in dict.fromkeys(told)]
    text = "\n".join(lines)
    matches = ((words, re.search(pattern, text)) for pattern, words in _REASONS.items())
    found = (words.format(*match.groups()) for words, match in matches if match)
    hosts = " to ".join(str(one.host) for one in (running.initiator, pair.peer(running.initiator)))
    unasked = f"{running.initiator.name} has no trap for packets from {hosts} (local_ts, remote_ts)"
    words = "see the lines of the daemons" if lines or began != "trap" else unasked
    return {"words": next(found, words), "lines": lines[-8:]}
