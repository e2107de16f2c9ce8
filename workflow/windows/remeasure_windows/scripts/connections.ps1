foreach ($nic in [Net.NetworkInformation.NetworkInterface]::GetAllNetworkInterfaces()) {
    if (@names@ -contains $nic.Name) {
        $addresses = @($nic.GetIPProperties().UnicastAddresses |
            Where-Object { $_.Address.AddressFamily -eq 'InterNetwork' } |
            ForEach-Object { '{0}/{1}' -f $_.Address, $_.IPv4Mask })
        "{0}`t{1}`t{2}`t{3}" -f $nic.Name, $nic.OperationalStatus, $nic.Speed, ($addresses -join ',')
    }
}
