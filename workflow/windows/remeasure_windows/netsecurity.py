"""IPsec by the cmdlets of module NetSecurity: Windows 8, Server 2012 and later. Not yet run on
Windows. Sources: the module's reference (New-NetIPsecRule and the others used here) and the WMI
classes MSFT_NetQuickModeSA, MSFT_NetMainModeSA, whose properties the cmdlets hand on. Key module
IKEv1: IKEv2 of Windows does not authenticate by pre-shared key (New-NetIPsecRule, KeyModule)."""

import json

from remeasure_windows import PREFIX
from remeasure_windows.powershell import array, quote, read, script
from remeasure_windows.state import MainMode, Sa, State, of_ours, sections
from remeasure_windows.suites import GatewayEnds, Pairs, esp_terms, fields_of, ike_terms

NAME = PREFIX + "tunnel"
AVAILABLE = "[bool](Get-Command New-NetIPsecRule -ErrorAction SilentlyContinue)"
"""PowerShell expression that is true if a host has this tool"""

# Objects are removed in this order, since none can be removed while another one refers to it.
_KINDS = ("Rule", "MainModeRule", "QuickModeCryptoSet", "MainModeCryptoSet", "Phase1AuthSet")
_QUICK = (
    "LocalEndpoint RemoteEndpoint InboundDirection EncapsulationMode FirstTransformType "
    "FirstIntegrityAlgorithm FirstCipherAlgorithm SecondTransformType SecondIntegrityAlgorithm "
    "SecondCipherAlgorithm"
)
_MAIN = (
    "LocalEndpoint RemoteEndpoint AuthenticationMethod CipherAlgorithm HashAlgorithm GroupId "
    "KeyModule"
)
_TRANSFORMS = {"1": "AH", "2": "ESP", "3": "ESP", "4": "ESP", "5": "ESP"}
"""IPSEC_TRANSFORM_TYPE of ipsectypes.h -> protocol"""
_MODES = {"2": "TUNNEL", "3": "TRANSPORT"}
"""EncapsulationMode of CIM_IPsecSAEndpoint -> mode"""
_PSK = ("2", "presharedkey", "psk")
"""values of AuthenticationMethod of the WMI classes, by number or by name, for a pre-shared key"""


def set_up(ends: GatewayEnds) -> str:
    """A script that makes the rule of one gateway, and its parts."""
    cipher, digest, group = ike_terms("netsecurity", ends.tunnel.ike)
    integrity, encryption = esp_terms("netsecurity", ends.tunnel.proposal)
    name = quote(NAME)
    text = read(
        "set-up-netsecurity",
        called=f"-DisplayName {name} -Name {name}",
        name=name,
        address=ends.address,
        peer_address=ends.peer_address,
        network=ends.network,
        peer_network=ends.peer_network,
        cipher=cipher,
        digest=digest,
        group=group,
        integrity=integrity,
        encryption=encryption,
    )
    return script(f"set up the tunnel of {ends.gateway} (NetSecurity)", text)


def remove(pairs: Pairs) -> str:
    """A script that removes everything that `set_up` makes, and SAs with addresses of the testbed.
    It prints nothing if there are none."""
    peers = array(remote for _, remote in pairs)
    return script(
        "remove our rules (NetSecurity)",
        *(f"{_ours(kind)} | Remove-NetIPsec{kind}" for kind in _KINDS),
        *(
            f"Get-NetIPsec{mode}ModeSA -ErrorAction SilentlyContinue |\n"
            f"    Where-Object {{ {peers} -contains $_.RemoteEndpoint }} |\n"
            f"    Remove-NetIPsec{mode}ModeSA -ErrorAction SilentlyContinue"
            for mode in ("Quick", "Main")
        ),
    )


def state() -> str:
    """A script that prints the rules in force, all stored objects whose names begin with PREFIX,
    and all SAs."""
    return script(
        "state of IPsec (NetSecurity)",
        "'=== rules'",
        "Get-NetIPsecRule -PolicyStore ActiveStore -ErrorAction SilentlyContinue |",
        "    ForEach-Object { $_.DisplayName }",
        "'=== ours'",
        *(f"{_ours(kind)} | ForEach-Object {{ $_.DisplayName }}" for kind in _KINDS),
        "'=== quick mode'",
        _as_json("Get-NetIPsecQuickModeSA", _QUICK),
        "'=== main mode'",
        _as_json("Get-NetIPsecMainModeSA", _MAIN),
    )


def read_state(text: str) -> State:
    """Parse the output of the script of `state`. Raises ValueError naming undocumented output."""
    parts = sections(text)
    return State(
        [name for name in parts["rules"].splitlines() if name.strip()],
        of_ours(parts["ours"].splitlines()),
        [_sa(found) for found in _read_json(parts, "quick mode")],
        [
            MainMode(
                one["LocalEndpoint"], one["RemoteEndpoint"], _auth(one["AuthenticationMethod"])
            )
            for one in _read_json(parts, "main mode")
        ],
    )


def _ours(kind: str) -> str:
    return (
        f"Get-NetIPsec{kind} -PolicyStore PersistentStore -ErrorAction SilentlyContinue |\n"
        f"    Where-Object {{ $_.DisplayName -like '{PREFIX}*' }}"
    )


def _as_json(cmdlet: str, properties: str) -> str:
    """Lines that print properties as text, whether the module shows a number or a name."""
    columns = ",\n    ".join(
        f"@{{ Name = '{name}'; Expression = {{ [string]$_.{name} }} }}"
        for name in properties.split()
    )
    return (
        f"$found = @({cmdlet} -ErrorAction SilentlyContinue | Select-Object -Property `\n"
        f"    {columns})\nConvertTo-Json -InputObject $found"
    )


def _read_json(parts: dict[str, str], name: str) -> list[dict[str, str]]:
    try:
        found = json.loads(parts[name].strip() or "[]")
    except (KeyError, json.JSONDecodeError) as error:
        raise ValueError(f"{name}: not the JSON of ConvertTo-Json: {error}") from None
    return found if isinstance(found, list) else [found]


def _sa(found: dict[str, str]) -> Sa:
    kind, second = found["FirstTransformType"], found.get("SecondTransformType") or ""
    protocol = _TRANSFORMS.get(kind, "ESP" if "esp" in kind.lower() else kind.upper())
    if second.lower() not in ("", "0", "none"):
        protocol = f"{protocol} and {_TRANSFORMS.get(second, second)}"
    mode = found["EncapsulationMode"]
    direction = "in" if found["InboundDirection"].lower() == "true" else "out"
    fields = {"mode": _MODES.get(mode, mode.upper()), "protocol": protocol}
    fields |= fields_of(found["FirstIntegrityAlgorithm"], found["FirstCipherAlgorithm"])
    return Sa(found["LocalEndpoint"], found["RemoteEndpoint"], frozenset({direction}), fields)


def _auth(method: str) -> str:
    return "psk" if method.lower().replace("-", "").replace(" ", "") in _PSK else method
