"""IPsec by `netsh advfirewall`: Windows 7, Server 2008 R2; Vista has it without main mode rules.
Not yet run on Windows. Sources: Microsoft's pages on Netsh AdvFirewall Consec, MainMode and Monitor
commands, and Knowledge Base article 949856, which has samples of the output of `monitor show`.
netsh prints in the language of the system; the parser knows the words of an English one."""

import re

from remeasure_windows import PREFIX
from remeasure_windows.powershell import SECRET, arguments, read, script
from remeasure_windows.state import MainMode, Sa, State, blocks, of_ours, sections
from remeasure_windows.suites import GatewayEnds, Pairs, esp_terms, fields_of, ike_terms

NAME = PREFIX + "tunnel"
LIFETIME = "1440min+2147483647kb"
"""lifetime of an SA; by default Windows negotiates again after 100 MB (see
remeasure_windows.netsecurity)"""
AVAILABLE = "[Environment]::OSVersion.Version -ge [Version]'6.1'"
"""PowerShell expression that is true if a host has this tool, main mode rules included"""

_OFFER = re.compile(r"ESP:([\w-]+?)-(\w+)\s*\+")
"""pattern of integrity and encryption in a text such as 'ESP:SHA1-AES128+60min+100000kb'"""


def set_up(ends: GatewayEnds) -> str:
    """A script that makes the rules of one gateway."""
    integrity, encryption = esp_terms("advfirewall", ends.tunnel.proposal)
    cipher, digest, group = ike_terms("advfirewall", ends.tunnel.ike)
    psk = f"auth1=computerpsk auth1psk={SECRET}"
    main = (
        f"advfirewall mainmode add rule name={NAME} mmsecmethods={group}:{cipher}-{digest} "
        f"mmkeylifetime=1440min endpoint1={ends.address} endpoint2={ends.peer_address} {psk}"
    )
    rule = (
        f"advfirewall consec add rule name={NAME} mode=tunnel endpoint1={ends.network} "
        f"endpoint2={ends.peer_network} localtunnelendpoint={ends.address} "
        f"remotetunnelendpoint={ends.peer_address} action=requireinrequireout {psk} qmpfs=none "
        f"qmsecmethods=esp:{integrity}-{encryption}+{LIFETIME}"
    )
    return script(
        f"set up the tunnel of {ends.gateway} (netsh advfirewall)",
        read("invoke-native"),
        *(f"$null = Invoke-Native netsh {arguments(command.split())}" for command in (main, rule)),
    )


def remove(pairs: Pairs) -> str:
    """A script that removes both rules, and SAs between addresses of the testbed. Without any,
    netsh fails with a message, which does no harm."""
    return script(
        "remove our rules (netsh advfirewall)",
        f"$null = & netsh advfirewall consec delete rule name={NAME}",
        f"$null = & netsh advfirewall mainmode delete rule name={NAME}",
        *(
            f"$null = & netsh advfirewall monitor delete {kind} {local} {remote}"
            for local, remote in pairs
            for kind in ("qmsa", "mmsa")
        ),
    )


def state() -> str:
    """A script that prints rules and SAs."""
    shown = {
        "rules": "consec show rule name=all",
        "main mode rules": "mainmode show rule name=all",
        "quick mode": "monitor show qmsa",
        "main mode": "monitor show mmsa",
    }
    lines = (f"'=== {name}'\n& netsh advfirewall {command}" for name, command in shown.items())
    return script("state of IPsec (netsh advfirewall)", *lines)


def read_state(text: str) -> State:
    """Parse the output of the script of `state`. Raises ValueError naming undocumented output."""
    parts = sections(text)
    rules, main_rules = (blocks(parts[n], "Rule Name") for n in ("rules", "main mode rules"))
    # The listing of SAs does not show the mode; the rule of the SAs does.
    ours = [rule for rule in rules if of_ours([rule["Rule Name"]])]
    mode = "/".join(sorted({rule.get("Mode", "").upper() for rule in ours}))
    return State(
        [rule["Rule Name"] for rule in rules if rule.get("Enabled", "Yes") == "Yes"],
        of_ours([rule["Rule Name"] for rule in rules + main_rules]),
        [_sa(found, mode) for found in blocks(parts["quick mode"], "Local IP Address")],
        [
            MainMode(
                found["Local IP Address"],
                _needed(found, "Remote IP Address"),
                "psk" if _needed(found, "First Auth") == "ComputerPSK" else found["First Auth"],
            )
            for found in blocks(parts["main mode"], "Local IP Address")
        ],
    )


def _sa(found: dict[str, str], mode: str) -> Sa:
    offer = _needed(found, "QM Offer")
    match = _OFFER.search(offer.replace(" ", ""))
    if not match:
        raise ValueError(f"QM Offer: found {offer!r}, expected ESP:<integrity>-<encryption>+...")
    fields = {"mode": mode, "protocol": "AH and ESP" if "AH:" in offer else "ESP"}
    fields |= fields_of(match[1], match[2])
    said = _needed(found, "Direction").lower()
    ways = frozenset(way for way in ("in", "out") if said in (way, "both"))
    return Sa(found["Local IP Address"], _needed(found, "Remote IP Address"), ways, fields)


def _needed(found: dict[str, str], key: str) -> str:
    if key not in found:
        raise ValueError(f"SA of {found['Local IP Address']}: no '{key}:' in netsh's answer")
    return found[key]
