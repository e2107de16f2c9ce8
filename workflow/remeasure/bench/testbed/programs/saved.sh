# `saved INTERFACE` prints the commands that restore it: sysctls that can be read and written,
# addresses, routes (a gateway must be reachable before a route through it can be added), permanent
# neighbours, and settings that receiving.py changes. An address that a router advertises returns with
# its next advertisement.

saved() {
  find /proc/sys/net/*/*/"$1" -type f -perm -600 ! -name stable_secret -exec grep -sH . {} + |
    sed -E 's/^([^:]+):(.*)/read -r now <\1; [ "$now" = "\2" ] || echo "\2" >\1/' | sort
  ip -o addr show dev "$1" scope global | grep -v ' dynamic ' |
    sed -nE "s/.* inet6? (.*) scope .*/ip addr replace \1 dev $1/p"
  ip -o link show up dev "$1" | sed "s/.*/ip link set $1 up/"
  for family in -4 -6; do
    routes=$(ip $family route show table all dev "$1" |
      grep -vE ' proto (kernel|ra) | expires ' | sed -E 's/ (linkdown|dead)//g; s/ *$//')
    for way in -v -e; do
      printf '%s\n' "$routes" | grep . | grep $way ' via ' |
        sed "s/.*/ip $family route replace & dev $1/"
    done
  done
  ip neigh show nud permanent dev "$1" |
    sed "s/ PERMANENT.*/ nud permanent dev $1/; s/^/ip neigh replace /"
  ethtool -l "$1" 2>/dev/null | sed -n "s/^Combined:\s*\([0-9]*\)$/ethtool -L $1 combined \1/p" |
    tail -n 1
  for file in /sys/class/net/"$1"/queues/rx-*/rps_cpus; do
    [ ! -e "$file" ] || echo "echo $(cat "$file") >$file"
  done
  ethtool -k "$1" 2>/dev/null |
    sed -nE "s/^generic-receive-offload: (on|off)$/ethtool -K $1 gro \1/p"
}
