$me = [Security.Principal.WindowsIdentity]::GetCurrent()
$administrator = [Security.Principal.WindowsBuiltInRole]::Administrator
"user`t" + $me.Name
"administrator`t" + (New-Object Security.Principal.WindowsPrincipal($me)).IsInRole($administrator)
"powershell`t" + $PSVersionTable.PSVersion
"ssh`t" + $env:SSH_CONNECTION
"forwarding`t" + (Get-ItemProperty `
    'HKLM:\SYSTEM\CurrentControlSet\Services\Tcpip\Parameters').IPEnableRouter
