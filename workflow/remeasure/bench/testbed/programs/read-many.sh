# The state of a host with many IKE_SAs, as probe many_sas saves it.
p=$(pgrep -x charon-systemd) || { echo 'charon does not run any more' >&2; exit 1; }
grep VmRSS: /proc/$p/status
grep SUnreclaim: /proc/meminfo
swanctl --stats | grep -E '^(IKE_SAs|mallinfo)'
swanctl --counters --raw
ip xfrm state count
ip xfrm policy count
grep '^Udp: [0-9]' /proc/net/snmp
