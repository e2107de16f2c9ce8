"""What namespaces of ours on somebody's machine have for themselves. Lines for `sh -e`."""

REAP = "while :; do sleep 3600 & wait; done"
"""what the first process of a PID namespace ends in: it must reap what daemons leave"""

# We write into /run, /tmp, and where strongSwan is configured; /sys is to show our interfaces.
OWN_FILES = """\
mount -t sysfs sys /sys
mount -t tmpfs -o mode=700 tmpfs /mnt
for d in /etc/swanctl /etc/strongswan.d; do
  [ -d $d ] || continue
  mkdir -p /mnt$d
  cp -a $d/. /mnt$d
  mount --bind /mnt$d $d
done
for d in /run /tmp; do mount -t tmpfs tmpfs $d; done
mkdir -p /run/lock
"""

OWN_NETWORK = """\
ip link set lo up
sysctl -qw net.ipv4.ip_forward=1
# A gateway that sends redirects would change the route of the next packet.
sysctl -qw net.ipv4.conf.all.send_redirects=0
# Neighbour discovery and autoconfiguration would put packets of no experiment on the links.
[ ! -d /proc/sys/net/ipv6 ] || \\
  sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
"""
"""before interfaces are given addresses"""
