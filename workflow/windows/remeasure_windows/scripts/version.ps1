# With the preference Stop, any error output of a program would end the script.
if (@there@) {
    $said = @(& { $ErrorActionPreference = 'Continue'; & @program@ -h 2>&1 })
    "tool`t@tool@`t" + $said[0]
}
