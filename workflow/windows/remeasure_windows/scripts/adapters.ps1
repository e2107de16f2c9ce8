# The adapters of network connections belong to this class of devices.
$class = 'HKLM:\SYSTEM\CurrentControlSet\Control\Class\' +
    '{4d36e972-e325-11ce-bfc1-08002be10318}'
foreach ($nic in [Net.NetworkInformation.NetworkInterface]::GetAllNetworkInterfaces()) {
    if (@names@ -contains $nic.Name) {
        foreach ($key in Get-ChildItem $class -ErrorAction SilentlyContinue) {
            $values = Get-ItemProperty $key.PSPath
            if ($values.NetCfgInstanceId -eq $nic.Id) {
                "driver`t{0}`t{1} {2}" -f $nic.Name, $values.DriverDesc, $values.DriverVersion
                foreach ($value in $values.PSObject.Properties) {
                    if ($value.Name.StartsWith('*')) {
                        "offload`t{0}`t{1}`t{2}" -f $nic.Name, $value.Name, $value.Value
                    }
                }
            }
        }
    }
}
