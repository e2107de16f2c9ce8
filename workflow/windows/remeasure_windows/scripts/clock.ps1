# .NET counts steps of 100 ns since year 1. The number is the beginning of 1970 in these steps.
while ($null -ne [Console]::In.ReadLine()) {
    $t = [DateTime]::UtcNow.Ticks - 621355968000000000
    [Console]::Out.WriteLine('{0}.{1:d6}' -f [Math]::Floor($t / 10000000), [int64][Math]::Floor(($t % 10000000) / 10))
    [Console]::Out.Flush()
}
