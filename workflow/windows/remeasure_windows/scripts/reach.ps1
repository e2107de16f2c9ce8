# ping.exe would also succeed if a gateway answers that it cannot reach the host.
$ping = New-Object Net.NetworkInformation.Ping
for ($n = 0; $n -lt 20; $n++) {
    $reply = $ping.Send('@address@', 1000)
    if ($reply.Status -eq 'Success') { return }
    Start-Sleep -Milliseconds 200
}
throw ('no answer from @address@ through the tunnel: ' + $reply.Status)
