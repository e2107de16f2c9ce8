# The output has the form of `ip -s -j link` of iproute2, so one parser reads both systems.
# GetIPv4Statistics counts everything that the connection carried, whatever the protocol.
# Processor time has the form of the line `cpu` of /proc/stat: ticks of 10 ms over all processors.
# Privileged time includes interrupts and deferred procedure calls, so these are subtracted from it.
$links = @()
foreach ($nic in [Net.NetworkInformation.NetworkInterface]::GetAllNetworkInterfaces()) {
    if (@names@ -contains $nic.Name) {
        $s = $nic.GetIPv4Statistics()
        $links += '{{"ifname": "{0}", "stats64": {{"rx": {{"bytes": {1}, "packets": {2}, "dropped": {3}}}, "tx": {{"bytes": {4}, "packets": {5}, "dropped": {6}}}}}}}' -f `
            $nic.Name.Replace('\', '\\').Replace('"', '\"'), `
            $s.BytesReceived, ($s.UnicastPacketsReceived + $s.NonUnicastPacketsReceived), $s.IncomingPacketsDiscarded, `
            $s.BytesSent, ($s.UnicastPacketsSent + $s.NonUnicastPacketsSent), $s.OutgoingPacketsDiscarded
    }
}
'=== link.json'
'[' + ($links -join ', ') + ']'
'=== stat.txt'
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
    [uint64][Math]::Floor($_ / 100000) })
