"""What namespaces of ours on somebody's machine have for themselves. Lines for `sh -e`."""

REAP = "while :; do sleep 3600 & wait; done"
"""what the first process of a PID namespace ends in: it must reap what daemons leave"""

# We write into /run, /tmp, and where strongSwan is configured, as Debian has it: of /etc/swanctl
# nothing that is there is ours, in /etc/strongswan.d is what loads plugins. /sys is to show our
# interfaces.
OWN_FILES = """\
mount -t sysfs sys /sys
mount -t tmpfs -o mode=700 tmpfs /mnt
if [ -d /etc/strongswan.d ]; then
  cp -a /etc/strongswan.d /mnt
  mount --bind /mnt/strongswan.d /etc/strongswan.d
fi
if [ -d /etc/swanctl ]; then
  mount -t tmpfs -o mode=700 tmpfs /etc/swanctl
  mkdir /etc/swanctl/private /etc/swanctl/x509 /etc/swanctl/x509ca
fi
for d in /run /tmp; do mount -t tmpfs tmpfs $d; done
mkdir -p /run/lock
"""

OWN_NETWORK = """\
ip link set lo up
sysctl -qw net.ipv4.ip_forward=1
# A gateway that sends redirects would change the route of the next packet. One switch that is on is
# enough, and a new namespace may begin with those of the machine.
for i in /proc/sys/net/ipv4/conf/*/send_redirects; do echo 0 >$i; done
for i in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 >$i; done
# Neighbour discovery and autoconfiguration would put packets of no experiment on the links.
[ ! -d /proc/sys/net/ipv6 ] || \\
  sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
"""
"""before interfaces are given addresses"""
