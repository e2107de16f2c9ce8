"""The responder boots again under traffic: its kernel, its network, then its daemon.

A guest of User Mode Linux that boots is the same process with the same links, but its kernel knows
nothing of before. Lines of our own precede the guest's init, on its own disk. They make the boot
like a machine's, in this order:

1. Interfaces get the addresses of Ethernet that they had, as cards keep theirs. Frames that waited
   in links meanwhile are taken and dropped, as if the cable had lost them.
2. The counters of packets in the clear, with their filter if the tunnel has one, are there before
   any address is, as a firewall is that is loaded before the network.
3. The guest's init gives addresses and routes, and lets packets be forwarded.
4. The daemon starts, some seconds later, and loads its connections.

The delay that a cell gives to the responder's link is lost until the end of the run.
"""

import shlex

from remeasure.bench.ipsec.clear_text import clear_text_setters
from remeasure.bench.ipsec.control import START, TunnelControl
from remeasure.bench.lab import uml
from remeasure.bench.lab.network import CONTROL
from remeasure.bench.testbed.tools import fail_showing, wait_until
from remeasure.bench.testbed.watching.unchanged import remember

LIMIT_S = 60
"""time within which a gateway must have booted, and then its daemon must have started [s]"""
_READY = wait_until("[ -e /run/booted ]", fail_showing("/root/boot.log"), 10 * LIMIT_S, 0.1)


def boot(control: TunnelControl, delay_s: float) -> None:
    """Boot the responder; its daemon starts `delay_s` seconds after its network. Raises
    CommandFailed, HostUnreachable."""
    name, kernel = control.tunnel.responder, uml.KIND.interface
    links = [CONTROL, *control.topology.links_of(name)]
    outer = f"{kernel}{links.index(control.tunnel.link_of(name))}"
    setters = clear_text_setters(control.tunnel, control.topology, {name: outer})
    first = f"""\
#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
. /root/links
sleep 0.5
{setters[0].command}
(
  until [ "$(cat /proc/sys/net/ipv4/conf/all/send_redirects)" = 0 ]; do sleep 0.01; done
  sleep {delay_s:g}
  {START}
  touch /run/booted
) >/root/boot.log 2>&1 &
exec /sbin/lab-init.own
"""
    # reboot(2) at once: as without power, the daemon tells its peer nothing.
    script = f"""\
[ -e /sbin/lab-init.own ] || mv /sbin/lab-init /sbin/lab-init.own
printf %s {shlex.quote(first)} >/sbin/lab-init
chmod 755 /sbin/lab-init
rm -f /run/booted
i=0
for link in {shlex.join(links)}; do
  echo "ip link set {kernel}$i address $(cat /sys/class/net/$link/address) up"
  i=$((i + 1))
done >/root/links
sync
perl -e 'select undef, undef, undef, 0.1; syscall 169, 0xfee1dead, 672274793, 0x1234567, 0' \
  </dev/null >/dev/null 2>&1 &
"""
    control.responder.boot(script, _READY, LIMIT_S)
    remember([control.responder])
