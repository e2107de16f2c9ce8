# `state` prints a line for each thing that stays unchanged. One ip does as much as possible, since a
# guest takes longer to start a program than to answer. Left out are the number of a link, and its
# changes by shaping, captures and carriers; the disciplines that the kernel gives each of several
# queues, and how many use one; the routing table of strongSwan (220); lifetimes; and settings that
# charon sets, or that the kernel draws or counts itself. Of an offload counts the state that somebody
# requested: whether it is given depends on the other end of a veth(4), too. Sums of several are left
# out.

state() {
  {
    printf '%s\n' 'link show' 'addr show' 'rule show' 'route show' | ip -o -d -batch -
    ! read -r address 2>/dev/null </proc/net/if_inet6 ||
      printf '%s\n' 'rule show' 'route show' | ip -6 -o -d -batch -
    grep -rs '' /proc/sys/net
    tc qdisc show
    ethtool -k '*' 2>/dev/null
  } | sed -E '
    s/,?(LOWER_UP|NO-CARRIER|PROMISC)//g
    s/<,/</
    s/^[0-9]+: ([^ ]+: <|[^ ]+ +inet)/\1/
    s/ (linkdown|dead|tentative)//g
    s/ (qdisc|state|promiscuity|allmulti) [^ ]+//g
    s/: o(n|ff) \[requested (on|off)\]/: \2/
    /^(tx-checksumming|scatter-gather|tcp-segmentation-offload):/d
    /^Features for /{s///;h;d}
    /^\t?[a-z0-9_-]+: o(n|ff)/{G;s/^\t?(.*)\n(.*):$/offload \2 \1/}
    /^qdisc [^ ]+ 0: dev [^ ]+ parent|^$/d
    s/ refcnt [0-9]+//
    s/ (valid_lft|expires) .*//
    /^220:/d
    /(xfrm_acq_expires|_key|_secret|_count):/d
    s/ *$//' | LC_ALL=C sort
}
