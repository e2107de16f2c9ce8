"""ipsec.conf(5) and ipsec.secrets(5) of strongSwan, read as its starter reads them: sections, also,
%default and includes. starter gets the operator's own text in the guest."""

import glob
import re
from collections.abc import Iterator
from pathlib import Path

from remeasure.bench.tryout.conf import Refused, Section, Spot, read_text

_HEAD = re.compile(r"(config +setup|(?:conn|ca)[\t ]+[^\s{#]+)[\t ]*(?:#.*)?$", re.MULTILINE)
_INCLUDE = re.compile(r'\s*include[\t ]+"?([^="#\s]+)')
_SETTING = re.compile(r'[\t ]+([^\s"#=]+)[\t ]*=(.*)')
_WORD = re.compile(r'"([^"]*)"|((?:@#)?[^"#\s]+)|#.*')
_IDLE = re.compile(r"\s*(#.*)?$|[\t ]*version\b")
_LEFT_OUT = re.compile(r"(?:left|right)?(updown|firewall|hostaccess|inactivity)")
_KEYS = {
    "config": "charondebug|uniqueids|cachecrls|strictcrlpolicy|interfaces|dumpdir|charonstart|"
    "pluto\\w+|\\w+pluto|klipsdebug|fragicmp|packetdefault|hidetos|overridemtu|crlcheckinterval|"
    "nocrsend|nat_traversal|keep_alive|force_keepalive|virtual_private|pkcs11\\w+",
    "ca": "also|auto|cacert|crluri[12]?|ocspuri[12]?|certuribase|ldaphost|ldapbase",
    "conn": "also|auto|keyexchange|type|compress|installpolicy|aggressive|authby|eap|eap_identity|"
    "aaa_identity|mobike|forceencaps|fragmentation|ikedscp|ikelifetime|lifetime|keylife|rekey|"
    "rekeymargin|rekeyfuzz|(margin|life)(time|bytes|packets)|keyingtries|reauth|ike|esp|ah|"
    "dpd(delay|timeout|action)|closeaction|inactivity|modeconfig|xauth|xauth_identity|mediation|"
    "mediated_by|me_peerid|reqid|mark|mark_in|mark_out|tfc|replay_window|sha256_96|pfs|pfsgroup|"
    "(left|right)(ikeport|subnet|subnetwithin|protoport|sourceip|dns|firewall|hostaccess|allowany|"
    "updown|auth2?|id2?|cert2?|certpolicy|sendcert|ca2?|groups2?|nexthop)?",
}
"""kind of section -> keywords of strongSwan's starter (keywords.txt), without raw keys"""
_SECRET = re.compile(r"""(.*?)[\t ]*:[\t ]*(PSK|EAP|NTLM|PPK)[\t ]+("[^"]*"|'[^']*'|\S+)""")
_KINDS = {"PSK": "ike", "PPK": "ppk"}
_MOST = 1000
"""sections that a conn includes"""


def is_ipsec_conf(path: Path) -> bool:
    """Whether a file is an ipsec.conf."""
    return path.is_file() and any(map(_HEAD.match, read_text(path).splitlines()))


def read_ipsec_conf(path: Path) -> tuple[str, dict[str, Section], set[str]]:
    """The text for the guest, the conns by name with all that they inherit, and the scripts that
    became comments. Raises Refused with file and line."""
    text, left_out = "", set[str]()
    sections, title, also = dict[str, Section](), "", dict[str, list[str]]()
    for spot, line in _lines(path):
        shown = line
        if head := _HEAD.match(line):
            title = " ".join(head[1].split())
            sections.setdefault(title, Section(spot))
        elif (setting := _SETTING.match(line)) and title:
            key = setting[1]
            value = " ".join(quoted or bare for quoted, bare in _WORD.findall(setting[2])).strip()
            if not re.fullmatch(_KEYS[title.split()[0]], key):
                raise Refused(
                    f"{spot}: found {key}, expected a keyword of strongSwan's ipsec.conf(5)"
                )
            if key == "also":
                also.setdefault(title, []).insert(0, f"{title.split()[0]} {value}")
            elif match := _LEFT_OUT.fullmatch(key):
                left_out.add(match[1])
                shown = f"# left out by the lab: {line.strip()}"
            else:
                sections[title][key], sections[title].spots[key] = value, spot
        elif not _IDLE.match(line):
            raise Refused(f"{spot}: found {line.strip()!r}, expected conn NAME or a setting")
        text += f"{shown}\n"
    names = [one for one in sections if one.startswith("conn ") and one != "conn %default"]
    return text, {one[5:]: _whole(one, sections, also) for one in names}, left_out


def _lines(path: Path, outer: tuple[Path, ...] = ()) -> Iterator[tuple[Spot, str]]:
    """Lines of a file and its includes. The folder of the file stands for /etc."""
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if match := _INCLUDE.match(line):
            # Unlike Path.glob, this leaves out names that begin with a dot, as glob(3) does.
            pattern = match[1].removeprefix("/etc/")
            for one in sorted(glob.glob(pattern, root_dir=path.parent)):  # noqa: PTH207
                if any((path.parent / one).samefile(each) for each in (*outer, path)):
                    raise Refused(f"{path}:{number}: includes itself")
                yield from _lines(path.parent / one, (*outer, path))
        else:
            yield Spot(path, number), line


def _whole(title: str, sections: dict[str, Section], also: dict[str, list[str]]) -> Section:
    """A conn with its defaults. Of several also= the last decides (conf_parser.c)."""
    made, order, waiting = Section(sections[title].spot), list[str](), [title]
    while waiting:
        one = waiting.pop(0)
        if one not in sections or len(order) > _MOST:
            raise Refused(f"{made.spot}: also = {one[5:]}: no such conn, or it includes itself")
        order.append(one)
        waiting = [*also.get(one, []), *waiting]
    for one in dict.fromkeys(["conn %default", *reversed(order)]):
        if one in sections:
            made |= sections[one]
            made.spots |= sections[one].spots
    return made


def read_secrets(path: Path) -> tuple[str, Section]:
    """The text of ipsec.secrets(5) for the guest, and its secrets as in swanctl.conf(5)."""
    text, found = "", Section(Spot(path, 1))
    for number, (spot, line) in enumerate(_lines(path)):
        text += f"{line}\n"
        if match := _SECRET.match(line):
            owners = [quoted or bare for quoted, bare in _WORD.findall(match[1])]
            made = Section(spot)
            made |= {f"id-{n}": one for n, one in enumerate(owners) if one != "%any"}
            made["secret"] = match[3].strip("\"'")
            found[f"{_KINDS.get(match[2], 'eap')}-{number}"] = made
    return text, found
