# ITGRecv has finished a log when no process has the log open.
for ($n = 0; $true; $n++) {
    try {
        [IO.File]::Open(@log@, 'Open', 'Read', 'None').Close()
        break
    } catch {
        if ($n -gt 100) { throw ('ITGRecv does not finish: ' + $_.Exception.Message) }
        Start-Sleep -Milliseconds 50
    }
}
