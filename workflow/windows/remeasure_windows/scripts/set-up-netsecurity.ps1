# Between the ends of a rule, packets that are not protected are dropped in both directions. By
# default Windows negotiates SAs again after 100 MB, which a saturated link carries in 8 s, whereas
# strongSwan sets no limit of bytes.
$psk = New-NetIPsecAuthProposal -Machine -PreSharedKey $Secret
$null = New-NetIPsecPhase1AuthSet @called@ -Proposal $psk
$main = New-NetIPsecMainModeCryptoProposal -Encryption @cipher@ -Hash @digest@ -KeyExchange @group@
$null = New-NetIPsecMainModeCryptoSet @called@ -Proposal $main -MaxMinutes 1440
$parameters = @{
    DisplayName = @name@
    Name = @name@
    MainModeCryptoSet = @name@
    Phase1AuthSet = @name@
    LocalAddress = '@address@'
    RemoteAddress = '@peer_address@'
}
$null = New-NetIPsecMainModeRule @parameters
$quick = New-NetIPsecQuickModeCryptoProposal -Encapsulation ESP -ESPHash @integrity@ -Encryption @encryption@ -MaxMinutes 1440 -MaxKiloBytes 2147483647
$null = New-NetIPsecQuickModeCryptoSet @called@ -Proposal $quick -PerfectForwardSecrecyGroup None
$parameters = @{
    DisplayName = @name@
    IPsecRuleName = @name@
    Mode = 'Tunnel'
    KeyModule = 'IKEv1'
    LocalAddress = '@network@'
    RemoteAddress = '@peer_network@'
    LocalTunnelEndpoint = '@address@'
    RemoteTunnelEndpoint = '@peer_address@'
    InboundSecurity = 'Require'
    OutboundSecurity = 'Require'
    Phase1AuthSet = @name@
    QuickModeCryptoSet = @name@
}
$null = New-NetIPsecRule @parameters
