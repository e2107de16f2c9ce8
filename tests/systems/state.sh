# All that can be seen of a machine. What changes by itself is left out: hostnamed and dispatchers
# come and go with what asks them.
export LC_ALL=C
echo "# addresses, interfaces, routes, rules, neighbours"
ip -o addr | sed 's/ *valid_lft.*//' | sort
ip -d -o link | sort
ip route show table all | sort; ip -6 route show table all | sed 's/ expires [0-9]*sec//' | sort
ip rule; ip -6 rule; ip neigh show nud permanent
grep -H . /sys/class/net/*/queues/*/*_cpus /sys/class/net/*/mtu /sys/class/net/*/ifalias /sys/class/net/*/address
for i in /sys/class/net/*; do ethtool -k ${i##*/}; done
tc qdisc show | sort
echo "# IPsec and firewall"
ip xfrm state list nokeys; ip xfrm policy
nft list ruleset 2>/dev/null
swanctl --list-sas; swanctl --list-conns
echo "# sysctls"
sysctl -a 2>/dev/null | grep -vE 'random|dentry|inode|file-nr|pty.nr|pid|conntrack_count' | sort
echo "# files: what they hold, and when they were changed"
find /etc /home /root /usr/local /opt /srv -xdev ! -path '*/resolv.conf' -printf '%p %m %u %T@\n' | sort
find /etc /home /root -xdev -type f -exec sha256sum {} + | sort
find /run /tmp /var/tmp /mnt /var/lib -xdev \( -path '*/systemd' -o -path /run/user -o -path /run/udev \
  -o -path /run/sudo -o -path /run/log -o -path '*/NetworkManager' -o -name 'systemd-private-*' \) -prune -o -print | sort
findmnt -rno TARGET,SOURCE,FSTYPE,OPTIONS | grep -v /run/user | sort
echo "# units, daemons, sockets, namespaces"
systemctl list-units --all --plain --no-legend --type=service,socket,mount,path |
  grep -vE 'session-|user@|user-runtime|run-user|dispatcher|hostnamed' | tr -s ' ' | sort
systemctl show -p Id,MainPID,NRestarts strongswan ssh NetworkManager systemd-networkd nftables
networkctl list --no-legend --no-pager | awk '{print $2, $5}'
nmcli -t -f DEVICE,STATE,CONNECTION device 2>/dev/null | sort
ss -Hltun | tr -s ' ' | sort
lsns -lrno TYPE,COMMAND | grep -vE 'lsns|ssh|sudo|sd-pam|systemd --user|hostnamed' | sort -u
ps -eo user,args --no-headers |
  grep -vE '\[|ssh|sudo|sh -c|ps -eo|grep|sort|sd-pam|systemd --user|udev-worker|dispatcher|hostnamed' |
  sort
