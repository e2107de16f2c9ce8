$os = Get-WmiObject Win32_OperatingSystem
$cpus = @(Get-WmiObject Win32_Processor)
$kind = (Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion')
"os`t" + $os.Caption.Trim() + ' ' + $os.CSDVersion
"edition`t" + $kind.EditionID
"build`t" + $os.BuildNumber + '.' + $kind.UBR
"kernel`tWindows " + $os.Version + ' ' + $env:PROCESSOR_ARCHITECTURE
"cpu`t" + $cpus[0].Name.Trim()
"cpus`t" + [Environment]::ProcessorCount
"memory_kib`t" + $os.TotalVisibleMemorySize
"powershell`t" + $PSVersionTable.PSVersion
"power_plan`t" + ((@(& powercfg.exe /getactivescheme) -join ' ') -replace '\s+', ' ').Trim()
