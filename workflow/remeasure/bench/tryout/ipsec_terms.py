"""A conn of ipsec.conf(5) in the terms of swanctl.conf(5), by which the lab builds its network and
the peer of a single file. strongSwan's own swanctl --list-conns shows the same of both."""

import re
from pathlib import PurePosixPath

from remeasure.bench.tryout.conf import Section
from remeasure.bench.tryout.pair import LEGACY, address_of, is_name, seconds_of

_ANY = ("%any", "%any4", "%any6", "%defaultroute")
_METHODS = {"secret": "psk", **dict.fromkeys(("rsa", "rsasig", "ecdsa", "ecdsasig"), "pubkey")}
_WORDS = {
    "ikev1": "1", "ikev2": "2", "ike": "", "route": "trap", "add": "", "%mtu": "mtu",
    "passthrough": "pass", "reject": "drop", "transport_proxy": "transport", "tunnel": "",
}  # fmt: skip
_OF_CONN = "keyexchange=version mobike fragmentation forceencaps=encap mediation mediated_by"
_OF_CHILD = (
    "type=mode auto=start_action compress=ipcomp mark=mark_in mark_in mark=mark_out mark_out "
    "tfc=tfc_padding replay_window installpolicy=policies"
)
"""keyword=setting, or a word that is both"""


def connection(name: str, conn: Section, swapped: bool) -> tuple[Section, Section]:
    """A conn as a connection with one child, and its pools. `swapped`: whether right is its own
    side. Raises Refused."""
    own, peer = ("right", "left") if swapped else ("left", "right")
    made, child, pools = (Section(conn.spot) for _ in range(3))
    for section, names in ((made, _OF_CONN), (child, _OF_CHILD)):
        for old, _, new in (one.partition("=") for one in names.split()):
            _put(section, new or old, _WORDS.get(conn.text(old), conn.text(old)), conn, old)
    for section, key in ((made, "ike"), (child, "ah"), (child, "esp")):
        text, new = conn.text(key), "proposals" if key == "ike" else f"{key}_proposals"
        # Without a ! charon adds its default proposals.
        text = text.removesuffix("!") if text.endswith("!") or not text else f"{text}, default"
        _put(section, new, text, conn, key)
    if conn.text("dpdaction", "none") != "none":
        _put(made, "dpd_delay", conn.text("dpddelay", "30s"), conn, "dpddelay")
    for way, side in (("local", own), ("remote", peer)):
        _put_side(made, child, conn, way, side)
    for item in conn.items_of(f"{peer}sourceip"):
        if item.startswith("%"):
            raise conn.refuse(f"{peer}sourceip", "expected a network for its pool")
        pools[item] = Section.of({"addrs": item})
    asked = conn.items_of(f"{own}sourceip") if not pools else []
    asked = [re.sub("%.*6", "::", re.sub("%.*[^6]$", "0.0.0.0", one)) for one in asked]
    made |= {"pools": ", ".join(pools), "vips": ", ".join(asked)}
    _put_times(made, child, conn)
    made["children"] = Section(conn.spot)
    made["children"][name] = child
    return made, pools


def _put(section: Section, key: str, value: str, conn: Section, old: str) -> None:
    """Set a setting that comes from the conn's `old`, unless it is empty."""
    if value:
        section[key], section.spots[key] = value, conn.spots.get(old, conn.spot)


def _put_side(made: Section, child: Section, conn: Section, way: str, side: str) -> None:
    """Addresses, networks, and rounds of authentication of a side."""
    hosts = [one.removeprefix("%") for one in conn.items_of(side) if one not in _ANY]
    _put(made, f"{way}_addrs", ", ".join(hosts), conn, side)
    ports = conn.text(f"{side}protoport").replace("%any", "").strip("/")
    nets = conn.items_of(f"{side}subnet") or (["dynamic"] if ports else [])
    nets = [net.replace("%dyn", "dyn") + (f"[{ports}]" if ports else "") for net in nets]
    _put(child, f"{way}_ts", ", ".join(nets), conn, f"{side}subnet")
    for n in ("", "2"):
        at = f"{side}auth{n}" if n or f"{side}auth" in conn else "authby"
        if not (method := conn.text(at, "" if n else "pubkey")):
            continue
        one = made[f"{way}{n}"] = Section(conn.spot)
        _put(one, "auth", _METHODS.get(method, method), conn, at)
        certs = conn.items_of(f"{side}cert{n}")
        certs = [str(PurePosixPath(LEGACY, "certs", cert)) for cert in certs]
        if any("%" in cert or not cert.startswith(LEGACY) for cert in certs):
            raise conn.refuse(f"{side}cert{n}", f"expected a file in {LEGACY}/certs")
        _put(one, "certs", ", ".join(certs), conn, f"{side}cert{n}")
        # An end without an identity has its address as one.
        named = [host for host in hosts if not certs and (address_of(host) or is_name(host))]
        _put(one, "id", conn.text(f"{side}id{n}", *named[:1]), conn, f"{side}id{n}")
        if method.startswith("eap"):
            who = conn.text("eap_identity").replace("%identity", "%any")
            _put(one, "eap_id", who, conn, "eap_identity")


def _put_times(made: Section, child: Section, conn: Section) -> None:
    """When SAs are renewed and end: by default the IKE_SA is reauthenticated, not rekeyed."""
    if conn.text("rekey") == "no":
        made["rekey_time"] = child["rekey_time"] = "0s"
        return
    margin = seconds_of(conn, "margintime" if conn.text("margintime") else "rekeymargin", 540)
    lasts = seconds_of(conn, "lifetime" if conn.text("lifetime") else "keylife", 3600)
    ike = seconds_of(conn, "ikelifetime", 10800)
    child |= {"life_time": f"{lasts:.0f}s", "rekey_time": f"{max(lasts - margin, 0):.0f}s"}
    due = f"{max(ike - margin, 0):.0f}s"
    made |= {"rekey_time": "0s", "reauth_time": due, "over_time": f"{margin:.0f}s"}
    if conn.text("reauth") == "no":
        made |= {"rekey_time": due, "reauth_time": "0s"}
