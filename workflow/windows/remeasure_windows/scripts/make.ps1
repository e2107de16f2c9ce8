# Also make hosts forget the MTU of paths: gateways learn it, as Linux hosts do
# (testbed/treatments/receiving.py).
$null = New-Item -ItemType Directory -Path @folder@
Set-Content -LiteralPath @mark@ -Value 'remeasure'
Copy-Item -Path @tools@ -Destination @folder@ -Recurse
$null = & netsh interface ipv4 delete destinationcache
