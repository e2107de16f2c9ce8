"""What differs if two ends are files of wg-quick(8). `bench.tryout` imports nothing of it; its
public face are `quick_pair` and `running_wireguard`."""
