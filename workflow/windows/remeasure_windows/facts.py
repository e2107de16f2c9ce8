"""Facts about a Windows host: every possible cause of a number measured on it. WMI classes
Win32_OperatingSystem, Win32_Processor; the registry's class of network adapters, whose values are
the standardized INF keywords (`*LsoV2IPv4`, `*IPsecOffloadV2`, ...); powercfg."""

from typing import Any

from remeasure.bench.testbed.inventory import WindowsSettings
from remeasure_windows.powershell import array, script
from remeasure_windows.readiness import version
from remeasure_windows.remote import WindowsRemote

_SYSTEM = """\
$os = Get-WmiObject Win32_OperatingSystem
$cpus = @(Get-WmiObject Win32_Processor)
$kind = (Get-ItemProperty 'HKLM:\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion')
"os`t" + $os.Caption.Trim() + ' ' + $os.CSDVersion
"edition`t" + $kind.EditionID
"build`t" + $os.BuildNumber + '.' + $kind.UBR
"kernel`tWindows " + $os.Version + ' ' + $env:PROCESSOR_ARCHITECTURE
"cpu`t" + $cpus[0].Name.Trim()
"cpus`t" + [Environment]::ProcessorCount
"memory_kib`t" + $os.TotalVisibleMemorySize
"powershell`t" + $PSVersionTable.PSVersion
"power_plan`t" + ((@(& powercfg.exe /getactivescheme) -join ' ') -replace '\\s+', ' ').Trim()"""
# The adapters of network connections belong to this class of devices.
_ADAPTERS = """\
$class = 'HKLM:\\SYSTEM\\CurrentControlSet\\Control\\Class\\' +
    '{{4d36e972-e325-11ce-bfc1-08002be10318}}'
foreach ($nic in [Net.NetworkInformation.NetworkInterface]::GetAllNetworkInterfaces()) {{
    if ({names} -contains $nic.Name) {{
        foreach ($key in Get-ChildItem $class -ErrorAction SilentlyContinue) {{
            $values = Get-ItemProperty $key.PSPath
            if ($values.NetCfgInstanceId -eq $nic.Id) {{
                "driver`t{{0}}`t{{1}} {{2}}" -f $nic.Name, $values.DriverDesc, $values.DriverVersion
                foreach ($value in $values.PSObject.Properties) {{
                    if ($value.Name.StartsWith('*')) {{
                        "offload`t{{0}}`t{{1}}`t{{2}}" -f $nic.Name, $value.Name, $value.Value
                    }}
                }}
            }}
        }}
    }}
}}"""


def script_of(host: WindowsSettings, names: list[str]) -> str:
    """A script that prints lines 'fact<tab>value', and for adapters (`names`) and tools
    'fact<tab>name<tab>value'."""
    return script("facts", _SYSTEM, _ADAPTERS.format(names=array(names)), version(host))


def host_facts(remote: WindowsRemote) -> dict[str, Any]:
    """The facts of testbed.watching.facts.facts_of, as far as Windows gives them, and `drivers`
    (link -> driver). Raises CommandFailed, HostUnreachable."""
    host = remote.host
    links = {name: link for link, name in host.interfaces.items()}
    facts: dict[str, Any] = {
        "offloads": {link: {} for link in host.interfaces},
        "drivers": {},
        "tools": {},
    }
    for line in remote.run(script_of(host.windows_settings, list(links))).splitlines():
        kind, *values = line.split("\t")
        if kind == "offload" and len(values) == 3:
            facts["offloads"][links[values[0]]][values[1]] = values[2]
        elif kind == "driver" and len(values) == 2:
            facts["drivers"][links[values[0]]] = values[1].strip()
        elif kind == "tool" and len(values) == 2:
            facts["tools"][values[0]] = values[1].strip()
        elif len(values) == 1:
            facts[kind] = values[0].strip()
    facts["ipsec"] = host.windows_settings.ipsec
    facts["clock_offset_s"], facts["clock_offset_error_s"] = remote.clock_offset()
    return facts
