# cmd.exe writes both outputs to files unchanged; PowerShell would re-encode them.
$start = New-Object Diagnostics.ProcessStartInfo
$start.FileName = $env:ComSpec
$start.Arguments = @arguments@
$start.WorkingDirectory = @folder@
$start.UseShellExecute = $false
$process = [Diagnostics.Process]::Start($start)
if (-not $process.WaitForExit(@milliseconds@)) {
    Get-WmiObject Win32_Process | Where-Object {
        $_.ExecutablePath -and $_.ExecutablePath -eq @program@
    } | ForEach-Object { $null = $_.Terminate() }
    throw '@name@ does not end'
}
if ($process.ExitCode -ne 0) {
    throw "@name@: exit $($process.ExitCode): $((Get-Content @said@) -join ' ')"
}
