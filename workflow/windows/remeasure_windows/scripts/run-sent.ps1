# Run the script that standard input brings. Lines leave the host with only a line feed, because
# logs are kept as they arrive.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
function Decode([string]$Text) {
    [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($Text.Trim()))
}
try {
    $sent = [Console]::In.ReadToEnd().Split([char]10)
    $Secret = Decode $sent[1]
    $said = & ([ScriptBlock]::Create((Decode $sent[0]))) | ForEach-Object { [string]$_ }
    $text = (@($said) -join "`n") -replace "`r`n?", "`n"
    if ($text) {
        $bytes = [Text.Encoding]::UTF8.GetBytes($text + "`n")
        $output = [Console]::OpenStandardOutput()
        $output.Write($bytes, 0, $bytes.Length)
        $output.Flush()
    }
} catch {
    [Console]::Error.WriteLine((([string]$_) -replace '\s+', ' '))
    exit 1
}
