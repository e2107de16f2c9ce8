"""IPsec by `netsh ipsec`: Windows Server 2003 (and, deprecated, later ones).

Not yet run on Windows. Source: Microsoft's page on Netsh commands for Internet Protocol security
(IPSec), Windows Server 2003. It has no sample of what `dynamic show qmsas` prints. The parser
expects the columns that the page on the IP Security Monitor names, finds them by the words of the
algorithms, and refuses a listing without them. Suites: DES and 3DES with MD5 and SHA-1. Main mode
uses the nearest proposal (see suites.ike_terms).
"""

import re

from remeasure_windows import PREFIX
from remeasure_windows.ends import Ends, Pairs
from remeasure_windows.powershell import NATIVE, SECRET, arguments, script
from remeasure_windows.state import MainMode, Sa, State, of_ours, sections
from remeasure_windows.suites import esp_terms, fields_of, ike_terms

NAME = PREFIX + "tunnel"
LIFETIME = "2147483647k/86400s"
"""lifetime of an SA [kB, s]; by default Windows negotiates anew after 100 MB"""
AVAILABLE = "[bool](Get-Service PolicyAgent -ErrorAction SilentlyContinue)"
"""PowerShell expression that is true if a host has this tool"""

_KEY = r"HKLM:\SOFTWARE\Policies\Microsoft\Windows\IPSec\Policy\Local"
"""registry key whose value ActivePolicy names the policy that is assigned on the machine"""
_ACTIVE = f"(Get-ItemProperty '{_KEY}' -ErrorAction SilentlyContinue).ActivePolicy"
_DIRECTIONS = "out", "in"
_ADDRESS = r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+"
# The line names AH, ESP confidentiality and ESP integrity; each may have a key length in brackets.
_OFFER = re.compile(
    r"^\s*(None|MD5|SHA1)\S*\s+(None|DES|3DES)\S*\s+(None|MD5|SHA1)\b", re.MULTILINE | re.IGNORECASE
)


def set_up(ends: Ends) -> str:
    """A script that makes one policy of two rules, one for each direction, and assigns the policy.

    Only one policy can be assigned: if another one is assigned, the script stops with an error.
    """
    commands = [
        *_policy(ends),
        *(command for way in _DIRECTIONS for command in _rule(ends, way)),
        ["set", "policy", f"name={NAME}", "assign=yes"],
    ]
    return script(
        f"set up the tunnel of {ends.gateway} (netsh ipsec)",
        NATIVE,
        f"if ({_ACTIVE}) {{",
        "    throw 'another IPsec policy is assigned; it is not touched'",
        "}",
        *(
            f"$null = Invoke-Native netsh {arguments(['ipsec', 'static', *command])}"
            for command in commands
        ),
    )


def _policy(ends: Ends) -> list[list[str]]:
    """Commands that make the policy and what its rules do with a packet."""
    integrity, encryption = esp_terms("ipsec", ends.tunnel.proposal)
    cipher, digest, group = ike_terms("ipsec", ends.tunnel.ike)
    main = f"mmsecmethods={cipher}-{digest}-{group}"
    quick = f"qmsecmethods=ESP[{encryption},{integrity}]:{LIFETIME}"
    action = ["qmpfs=no", "inpass=no", "soft=no", "action=negotiate", quick]
    return [
        ["add", "policy", f"name={NAME}", "mmpfs=no", "activatedefaultrule=no", main],
        ["add", "filteraction", f"name={NAME}", *action],
    ]


def _rule(ends: Ends, way: str) -> list[list[str]]:
    """Commands that make the rule of one direction."""
    source, destination, end = {
        "out": (ends.network, ends.peer_network, ends.peer_address),
        "in": (ends.peer_network, ends.network, ends.address),
    }[way]
    between = [
        f"srcaddr={source.network_address}",
        f"srcmask={source.prefixlen}",
        f"dstaddr={destination.network_address}",
        f"dstmask={destination.prefixlen}",
    ]
    of = [f"policy={NAME}", f"filterlist={NAME}-{way}", f"filteraction={NAME}", f"tunnel={end}"]
    return [
        ["add", "filterlist", f"name={NAME}-{way}"],
        ["add", "filter", f"filterlist={NAME}-{way}", *between, "protocol=ANY", "mirrored=no"],
        ["add", "rule", f"name={NAME}-{way}", *of, "conntype=all", "kerberos=no", f"psk={SECRET}"],
    ]


def remove(pairs: Pairs) -> str:
    """A script that removes everything that `set_up` makes. If there is nothing, netsh fails and
    says so, which does no harm. SAs end with their policy, since no command removes one of them;
    `pairs` is therefore not used."""
    return script(
        "remove what remeasure made (netsh ipsec)",
        f"$null = & netsh ipsec static set policy name={NAME} assign=no",
        f"$null = & netsh ipsec static delete policy name={NAME}",
        *(
            f"$null = & netsh ipsec static delete filterlist name={NAME}-{way}"
            for way in _DIRECTIONS
        ),
        f"$null = & netsh ipsec static delete filteraction name={NAME}",
    )


def state() -> str:
    """A script that prints stored policies, whether one is assigned, and SAs."""
    return script(
        "state of IPsec (netsh ipsec)",
        "'=== assigned'",
        f"if ({_ACTIVE}) {{ {_ACTIVE} }}",
        "'=== stored'",
        *(
            f"& netsh ipsec static show {kind} all"
            for kind in ("policy", "filterlist", "filteraction")
        ),
        "'=== quick mode'",
        "& netsh ipsec dynamic show qmsas all",
        "'=== main mode'",
        "& netsh ipsec dynamic show mmsas all",
    )


def read_state(text: str) -> State:
    """Parse what the script of `state` printed. Raises ValueError naming what is not as
    documented."""
    parts = sections(text)
    names = re.findall(rf"{re.escape(PREFIX)}[\w-]+", parts["stored"])
    assigned = [line.strip() for line in parts["assigned"].splitlines() if line.strip()]
    # The registry names the assigned policy by a path. If the policy with PREFIX is stored, it is
    # the assigned one, since no other can be assigned beside it.
    rules = [NAME] if assigned and NAME in names else assigned
    return State(
        rules, of_ours(names), _quick_modes(parts["quick mode"]), _main_modes(parts["main mode"])
    )


def _quick_modes(text: str) -> list[Sa]:
    """Parse quick mode SAs: one for each offer, with the addresses between it and the previous
    offer."""
    found: list[Sa] = []
    begin = 0
    for match in _OFFER.finditer(text):
        part, begin = text[begin : match.start()], match.end()
        found.append(_offered(part, *match.groups()))
    if not found and re.search(r"\b3?DES\b|\bSHA1\b|\bMD5\b", text):
        raise ValueError(
            "quick mode: algorithms, but no line 'AH, ESP confidentiality, ESP integrity'"
        )
    return found


def _offered(part: str, ah: str, encryption: str, integrity: str) -> Sa:
    """The SA of an offer; `part`: the text between it and the previous one."""
    addresses = re.findall(rf"({_ADDRESS})", part)
    if len(addresses) < 2:
        raise ValueError("quick mode: an offer without source and destination")
    # Addresses of the endpoints of a tunnel, if there are any, come last.
    has_ends = re.search("tunnel", part, re.IGNORECASE) and len(addresses) >= 4
    local, remote = addresses[-2:]
    named = {way for way in ("in", "out") if re.search(rf"\b{way}bound\b", part, re.IGNORECASE)}
    ways = named or {"in", "out"}
    if ways == {"in"}:
        local, remote = remote, local
    algorithms = fields_of(integrity, encryption)
    mode = "TUNNEL" if has_ends else "TRANSPORT"
    protocol = "ESP" if ah.lower() == "none" else "AH and ESP"
    return Sa(local, remote, frozenset(ways), {"mode": mode, "protocol": protocol, **algorithms})


def _main_modes(text: str) -> list[MainMode]:
    """Parse main mode SAs: one for each line with two addresses; a line near it has the
    authentication."""
    auth = "psk" if re.search(r"pre-?shared", text, re.IGNORECASE) else "not said"
    pairs = re.findall(rf"({_ADDRESS})\D[^\n]*?({_ADDRESS})", text)
    return [MainMode(local, remote, auth) for local, remote in pairs]
