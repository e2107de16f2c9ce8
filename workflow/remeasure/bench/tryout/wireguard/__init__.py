"""Pairs of wg-quick(8) files. The rest of `bench.tryout` imports nothing of it. Its public face:
`quick_pair.read_quick_pair` and `running_wireguard.WIREGUARD`."""
