echo 1 >/proc/sys/net/ipv4/ip_forward
# A gateway that sends redirects would change the route of the next packet. One switch that is on is
# enough, and a new namespace may begin with those of the machine.
for i in /proc/sys/net/ipv4/conf/*/send_redirects; do echo 0 >$i; done
for i in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 >$i; done
# Neighbour discovery and autoconfiguration would put packets of no experiment on the links.
[ ! -d /proc/sys/net/ipv6 ] || \
  for i in all default; do echo 1 >/proc/sys/net/ipv6/conf/$i/disable_ipv6; done
ip link set lo up
