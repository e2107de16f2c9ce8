# PowerShell does not treat a program's exit status as an error. The function throws if a program
# fails, naming at most the first three arguments, since a later one may be a secret.
function Invoke-Native([string]$File, [string[]]$Arguments) {
    $said = & $File $Arguments
    if ($LASTEXITCODE -ne 0) {
        throw "$File $($Arguments[0..2] -join ' '): exit ${LASTEXITCODE}: $($said -join ' ')"
    }
    $said
}
