# What an owner did by hand, and what no daemon of the machine knows of. $1: an interface.
ip link set $1 up
ip link set $1 mtu 1400 txqueuelen 555 alias theirs
ip addr add 10.44.0.1/24 dev $1
ip route add 10.45.0.0/16 via 10.44.0.254 dev $1
ip route add 10.46.0.0/16 via 10.44.0.254 dev $1 table 77
ip route add blackhole 10.47.0.0/16
ip neigh add 10.44.0.9 lladdr 02:00:00:00:00:09 dev $1
ip rule add priority 777 from 10.44.0.0/24 lookup 77
ip rule add priority 779 not from all fwmark 0xca6c lookup 79
ip -6 rule add priority 778 iif $1 lookup 78
ip xfrm policy add src 10.9.0.0/24 dst 10.8.0.0/24 dir out tmpl src 10.9.0.1 dst 10.8.0.1 proto esp reqid 9 mode tunnel
sysctl -qw net.ipv4.conf.$1.accept_local=1 net.ipv4.conf.$1.log_martians=1 \
  net.ipv4.neigh.$1.gc_stale_time=99 net.ipv6.conf.$1.hop_limit=33
# AppArmor forbids what Debian's profile only complains of.
sed -i 's/flags=(complain,/flags=(/' /etc/apparmor.d/usr.sbin.charon-systemd
apparmor_parser -r /etc/apparmor.d/usr.sbin.charon-systemd
# A daemon of the machine's own IPsec, and its rule, which systemd-networkd may have taken away.
systemctl restart strongswan
n=0; until ip rule | grep -q '^220:'; do [ $((n += 1)) -lt 50 ]; sleep 0.2; done
