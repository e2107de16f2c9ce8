"""Network connections of a host, by System.Net.NetworkInformation of .NET 2.0. The names of that
interface are the same on every Windows, whatever its language. A connection's name in an inventory
is the one that people see (`Ethernet 2`), which .NET calls Name and cmdlets call InterfaceAlias."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Interface

from remeasure_windows.powershell import array, script

_EACH = """\
foreach ($nic in [Net.NetworkInformation.NetworkInterface]::GetAllNetworkInterfaces()) {{
    if ({names} -contains $nic.Name) {{
{body}
    }}
}}"""
_LOOK = """\
        $addresses = @($nic.GetIPProperties().UnicastAddresses |
            Where-Object { $_.Address.AddressFamily -eq 'InterNetwork' } |
            ForEach-Object { '{0}/{1}' -f $_.Address, $_.IPv4Mask })
        "{0}`t{1}`t{2}`t{3}" -f $nic.Name, $nic.OperationalStatus, $nic.Speed, \
($addresses -join ',')"""
# The output has the form of `ip -s -j link` of iproute2, so one parser reads both systems.
# GetIPv4Statistics counts everything that the connection carried, whatever the protocol.
_COUNT = """\
        $s = $nic.GetIPv4Statistics()
        $links += '{{"ifname": "{0}", "stats64": {{"rx": {{"bytes": {1}, "packets": {2}, \
"dropped": {3}}}, "tx": {{"bytes": {4}, "packets": {5}, "dropped": {6}}}}}}}' -f `
            $nic.Name.Replace('\\', '\\\\').Replace('"', '\\"'), `
            $s.BytesReceived, ($s.UnicastPacketsReceived + $s.NonUnicastPacketsReceived), \
$s.IncomingPacketsDiscarded, `
            $s.BytesSent, ($s.UnicastPacketsSent + $s.NonUnicastPacketsSent), \
$s.OutgoingPacketsDiscarded"""
# In the form of the line `cpu` of /proc/stat: ticks of 10 ms over all processors. Privileged time
# includes interrupts and deferred procedure calls, so these are subtracted from it.
_PROCESSORS = """\
$user = $system = $idle = $irq = $dpc = [uint64]0
foreach ($cpu in Get-WmiObject Win32_PerfRawData_PerfOS_Processor) {
    if ($cpu.Name -ne '_Total') {
        $user += $cpu.PercentUserTime
        $irq += $cpu.PercentInterruptTime
        $dpc += $cpu.PercentDPCTime
        $system += $cpu.PercentPrivilegedTime - $cpu.PercentInterruptTime - $cpu.PercentDPCTime
        $idle += $cpu.PercentIdleTime
    }
}
'cpu {0} 0 {1} {2} 0 {3} {4} 0' -f @($user, $system, $idle, $irq, $dpc | ForEach-Object {
    [uint64][Math]::Floor($_ / 100000) })"""


@dataclass(frozen=True)
class Connection:
    """One network connection."""

    up: bool
    speed: int
    """speed of the connection [bit/s]; -1 if the driver does not report it"""
    addresses: list[IPv4Interface]


def look(names: Iterable[str]) -> str:
    """A script that prints state, speed and addresses of connections."""
    return script("network connections", _EACH.format(names=array(names), body=_LOOK))


def read_look(text: str) -> dict[str, Connection]:
    """Parse the output of the script of `look`: name -> connection. Raises ValueError naming the
    line."""
    found = {}
    for line in text.splitlines():
        try:
            name, status, speed, addresses = line.split("\t")
            found[name] = Connection(
                status == "Up", int(speed), [IPv4Interface(a) for a in addresses.split(",") if a]
            )
        except ValueError:
            raise ValueError(
                f"found {line!r}, expected name, state, speed and addresses of a connection"
            ) from None
    return found


def count(names: Iterable[str]) -> str:
    """A script that prints the counters of connections, and processor time."""
    return script(
        "counters",
        "$links = @()",
        _EACH.format(names=array(names), body=_COUNT),
        "'=== link.json'",
        "'[' + ($links -join ', ') + ']'",
        "'=== stat.txt'",
        _PROCESSORS,
    )
