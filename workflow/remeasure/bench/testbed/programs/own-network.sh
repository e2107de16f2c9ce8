ip link set lo up
sysctl -qw net.ipv4.ip_forward=1
# A gateway that sends redirects would change the route of the next packet. One switch that is on is
# enough, and a new namespace may begin with those of the machine.
for i in /proc/sys/net/ipv4/conf/*/send_redirects; do echo 0 >$i; done
for i in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 >$i; done
# Neighbour discovery and autoconfiguration would put packets of no experiment on the links.
[ ! -d /proc/sys/net/ipv6 ] || \
  sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
