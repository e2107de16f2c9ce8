# Windows ignores case in paths, and so must this comparison.
Get-WmiObject Win32_Process | Where-Object {
    $_.ExecutablePath -and $_.ExecutablePath.StartsWith(@folder@, 'OrdinalIgnoreCase')
}
