# A guest boots: its kernel, its network, then its daemon. Lines of our own precede its init from now
# on, on its own disk. They make the boot like a machine's:
#
# 1. Interfaces get the Ethernet addresses that they had, as cards keep theirs. Frames that waited in
#    links meanwhile are taken and dropped, as if the cable had lost them.
# 2. Counters of packets in the clear, and a filter if there is one, are set before any address is, as
#    a firewall is that is loaded before the network.
# 3. The guest's init gives addresses and routes, and then lets packets be forwarded.
# 4. The daemon starts @delay@ s later, and loads its connections.
#
# reboot(2) comes at once: as without power, the daemon tells its peer nothing.
[ -e /sbin/lab-init.own ] || mv /sbin/lab-init /sbin/lab-init.own
cat >/sbin/lab-init <<'FIRST'
#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
. /root/links
sleep 0.5
@counters@
(
  until [ "$(cat /proc/sys/net/ipv4/conf/all/send_redirects)" = 0 ]; do sleep 0.01; done
  sleep @delay@
  @start@
  touch /run/booted
) >/root/boot.log 2>&1 &
exec /sbin/lab-init.own
FIRST
chmod 755 /sbin/lab-init
rm -f /run/booted
i=0
for link in @links@; do
  echo "ip link set @kernel@$i address $(cat /sys/class/net/$link/address) up"
  i=$((i + 1))
done >/root/links
sync
perl -e 'select undef, undef, undef, 0.1; syscall 169, 0xfee1dead, 672274793, 0x1234567, 0' \
  </dev/null >/dev/null 2>&1 &
