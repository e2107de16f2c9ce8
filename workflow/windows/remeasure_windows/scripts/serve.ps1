# Start ITGRecv in the background, and wait until it listens on the port for requests of ITGSend to
# receive a flow (D-ITG manual, section 3). WMI starts the program, since the SSH server may end the
# programs of a session with the session.
function Test-Listening {
    $all = [Net.NetworkInformation.IPGlobalProperties]::GetIPGlobalProperties()
    @($all.GetActiveTcpListeners() | Where-Object { $_.Port -eq 9000 }).Count -gt 0
}
if (Test-Listening) { throw 'port 9000 is in use by another program' }
$made = ([wmiclass]'Win32_Process').Create(@command@, @folder@)
if ($made.ReturnValue -ne 0) { throw "ITGRecv.exe does not start: $($made.ReturnValue)" }
for ($n = 0; -not (Test-Listening); $n++) {
    if ($n -gt 100) { throw 'ITGRecv.exe does not listen on port 9000' }
    Start-Sleep -Milliseconds 50
}
