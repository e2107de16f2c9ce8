"""Settings that the lab cannot follow, or strongSwan does not have any more. Each is refused in one
line that shows it."""

import re
from pathlib import Path

from remeasure.bench.tryout.conf import Refused
from remeasure.bench.tryout.pair import End

_NO_IKEV1 = (6, 1)
"""version from which strongSwan is built without IKEv1"""
_FOREIGN = {
    r"\s*\[(Interface|Peer)\]": "a file of wg-quick(8)",
    r"\s*(authby\s*=\s*null|ikev2\s*=|leftsubnets\s*=|leftrsasigkey\s*=|"
    r"ike-lifetime\s*=|salifetime\s*=|auto\s*=\s*(ondemand|keep)\b)": "a file of libreswan, which "
    "is another daemon: write its connection again in the terms of strongSwan's swanctl.conf(5)",
}
"""line of a file -> kind of the file"""
_EAP = ("eap", "eap-md5", "eap-mschapv2", "eap-gtc", "eap-tls", "eap-ttls", "eap-identity")
"""methods of Debian's packages that need no hardware and no third host"""
_REFUSED = {
    r"(set_)?mark_(in|out) = (?!(0|0x0)$).+": "marks need rules of a firewall that no file shows; "
    "expected none",
    r"if_id_(in|out) = %.*": "a script would make its interface; expected a number",
    r"mediated_by = .+|mediation = (yes|true|1|enabled)": "mediation needs a third host; expected "
    "a direct connection",
    r"per_cpu_sas = (?!(no|0|false)$).+": "hosts in virtual time have one processor; expected no",
    r"ipcomp = (yes|true|1|enabled)": "sizes of compressed packets depend on their content; "
    "expected no",
    r"hw_offload = packet": "the lab has no such network card; expected no, auto or crypto",
    r"handle = .+": "the lab has no token or card; expected a file",
    r"auth = eap-radius.*": "the lab has no RADIUS server; expected eap-mschapv2 in its place",
    r"auth = xauth.*": "XAuth belongs to IKEv1; expected eap-mschapv2 in its place",
    rf"auth = (?!({'|'.join(_EAP)})([:+]|$))eap.*": "the lab does not have it; expected one of "
    f"{', '.join(_EAP)}",
}
"""settings that the lab cannot follow -> why, and what is expected"""


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
    release = tuple(int(one) for one in re.findall(r"\d+", version)[:2])
    if end.conn.text("version") == "1" and release >= _NO_IKEV1:
        raise end.conn.refuse(
            "version",
            f"strongSwan {version} has no IKEv1 (RFC 9395); expected 2, or --versions 6.0",
        )
    end.seconds("dpd_delay")
    rounds = [*end.rounds("local"), *end.rounds("remote")]
    certificates = [inside for one in rounds for inside in one.sections("c").values()]
    for section in (end.conn, end.tested, *rounds, *certificates):
        for key in section:
            for form, why in _REFUSED.items():
                if re.fullmatch(form, f"{key} = {section.text(key)}"):
                    raise section.refuse(key, why)
