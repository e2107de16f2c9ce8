"""Daemons of a machine that configure an interface anew when it comes back: systemd-networkd and
NetworkManager.

They remove what is not theirs: networkd takes away addresses and routes of the interface, and of
the whole machine policy rules, strongSwan's among them, and blackhole routes. What the owner or
another daemon had added is therefore put back after they are done.
"""

SETTLED = """\
networkd=$(systemctl is-active systemd-networkd 2>/dev/null)
manager=$(systemctl is-active NetworkManager 2>/dev/null)
settled() {
  if [ "$networkd" = active ]; then
    case $(grep -s '^ADMIN_STATE=' "/run/systemd/netif/links/$(cat "/sys/class/net/$1/ifindex")") in
      ''|*=pending|*=initialized) return 1 ;;
    esac
  fi
  if [ "$manager" = active ]; then
    # 10 to 30 are states of rest, 100 is connected.
    case $(nmcli -g GENERAL.STATE device show "$1" 2>/dev/null) in ''|[4-9]0*) return 1 ;; esac
  fi
}
"""
"""lines for sh that define `settled INTERFACE`: true once no daemon is about to configure it"""
SETTLE_STEPS = 120
"""looks of 0.05 s at most: a daemon that waits for an answer of DHCP may wait for a minute"""
