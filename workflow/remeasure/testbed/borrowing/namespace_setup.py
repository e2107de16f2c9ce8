"""Shell lines for `sh -e` that set up a private namespace: /run, /tmp, strongSwan's files,
network."""

REAP = "while :; do sleep 3600 & wait; done"
"""last line of the script of a PID namespace's first process, which must reap the children that
daemons leave"""

# Trials write into /run, /tmp, and where Debian configures strongSwan. /etc/swanctl begins empty,
# so that the machine's own configuration is not used. /etc/strongswan.d begins as a copy, since its
# files load plugins. /sys is mounted anew to show the namespace's interfaces.
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
"""shell lines to run before interfaces are given addresses"""
