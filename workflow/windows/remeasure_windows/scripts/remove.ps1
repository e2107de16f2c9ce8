foreach ($process in @(@ours@)) {
    $null = $process.Terminate()
}
for ($n = 0; @(@ours@).Count -gt 0; $n++) {
    if ($n -gt 100) { throw 'a program in the work folder does not end' }
    Start-Sleep -Milliseconds 50
}
if (Test-Path -LiteralPath @folder@) {
    if (-not (Test-Path -LiteralPath @mark@)) {
        throw (@folder@ + ' was not made by remeasure; name another one in windows.work')
    }
    Remove-Item -LiteralPath @folder@ -Recurse -Force
}
