"""Virtual time: all hosts are namespaces of one guest, whose clock stops while it computes and
leaps when it idles. Computing therefore takes no time, and every action of the guest is the same to
the bit wherever and whenever it runs: the same seed gives the same bytes. The kernel comes from the
guest image; a library that is loaded into it (env/virtual-time) replaces its clock."""
