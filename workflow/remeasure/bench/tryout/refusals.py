"""Settings that the lab cannot follow, or strongSwan does not have any more. Each is refused in one
line that shows it."""

import re
from collections.abc import Iterator
from pathlib import Path

from remeasure.bench.tryout.conf import Refused, Section
from remeasure.bench.tryout.pair import End

_EAP = ("eap", "eap-md5", "eap-mschapv2", "eap-gtc", "eap-tls", "eap-ttls", "eap-identity")
"""methods of Debian's packages that need no hardware and no third host"""
_NO_IKEV1 = (6, 1)
"""version from which strongSwan is built without IKEv1"""
_FOREIGN = {
    r"\s*\[(Interface|Peer)\]": "a file of wg-quick(8)",
    r"\s*(authby\s*=\s*(rsasig|secret|null)|ikev2\s*=|leftsubnets\s*=|leftrsasigkey\s*=|"
    r"ike-?lifetime\s*=|salifetime\s*=|auto\s*=\s*(ondemand|keep)\b)": "a file of libreswan, which "
    "is another daemon: write its connection again in the terms of strongSwan's swanctl.conf(5)",
    r"(config\s+setup|conn\s+\S+)\s*(#.*)?$": "an ipsec.conf(5): write its connection again as "
    "swanctl.conf(5), the format that charon-systemd reads",
}
"""line of a file -> kind of the file"""


def refuse_foreign(path: Path, text: str) -> None:
    """Raise Refused for an empty file, or a file of another program."""
    if not text.strip():
        raise Refused(f"{path}: found an empty file, expected one of swanctl.conf(5)")
    for form, kind in _FOREIGN.items():
        for number, line in enumerate(text.splitlines(), 1):
            if re.match(form, line):
                raise Refused(f"{path}:{number}: found {line.strip()!r}: {kind}")


def refuse(end: End, version: str) -> None:
    """Raise Refused for the first setting of an end that the lab cannot follow, or that is no time.
    `version`: of strongSwan, such as 6.1."""
    conn, child = end.conn, end.tested
    release = tuple(int(one) for one in re.findall(r"\d+", version)[:2])
    if conn.text("version") == "1" and release >= _NO_IKEV1:
        raise conn.refuse(
            "version",
            f"strongSwan {version} has no IKEv1 (RFC 9395); expected 2, or --versions 6.0",
        )
    end.seconds("dpd_delay")
    for section, key, why in (*_of_connection(conn), *_of_child(child), *_of_both(conn, child)):
        raise section.refuse(key, why)
    for side in ("local", "remote"):
        for one in end.rounds(side):
            _refuse_method(one)
            for inside in (*one.sections("cert").values(), *one.sections("cacert").values()):
                if inside.text("handle"):
                    raise inside.refuse("handle", "the lab has no token or card; expected a file")


def _of_connection(conn: Section) -> Iterator[tuple[Section, str, str]]:
    if conn.yes("mediation") or conn.text("mediated_by"):
        key = "mediated_by" if conn.text("mediated_by") else "mediation"
        yield conn, key, "mediation needs a third host; expected a direct connection"


def _of_child(child: Section) -> Iterator[tuple[Section, str, str]]:
    for key in ("mark_in", "mark_out", "set_mark_in", "set_mark_out"):
        if child.text(key, "0") not in ("0", "0x0"):
            yield child, key, "marks need rules of a firewall that no file shows; expected none"
    if child.text("per_cpu_sas", "no") not in ("no", "0", "false"):
        yield child, "per_cpu_sas", "hosts in virtual time have one processor; expected no"
    if child.yes("ipcomp"):
        yield child, "ipcomp", "sizes of compressed packets depend on their content; expected no"
    if child.text("hw_offload") == "packet":
        yield child, "hw_offload", "the lab has no such network card; expected no, auto or crypto"


def _of_both(*sections: Section) -> Iterator[tuple[Section, str, str]]:
    for section in sections:
        for key in ("if_id_in", "if_id_out"):
            if section.text(key).startswith("%"):
                yield section, key, "a script would make its interface; expected a number"


def _refuse_method(one: Section) -> None:
    """Raise Refused for a method of authentication that the lab does not have."""
    method = re.split(r"[:+]", one.text("auth", "pubkey"))[0]
    if method == "eap-radius":
        raise one.refuse("auth", "the lab has no RADIUS server; expected eap-mschapv2 in its place")
    if method.startswith("xauth"):
        raise one.refuse("auth", "XAuth belongs to IKEv1; expected eap-mschapv2 in its place")
    if method.startswith("eap") and method not in _EAP:
        raise one.refuse("auth", f"the lab does not have it; expected one of {', '.join(_EAP)}")
