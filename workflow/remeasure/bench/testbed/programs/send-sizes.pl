# Sends the datagrams of one kind of sender, and prints a line for each: the kernel's action, its
# arrival, and the path's MTU in the kernel then; a line for each ICMP message. IP_MTU_DISCOVER is
# option 10, IP_MTU 14; for IPv6 they are 23 and 24, at level 41. Data goes from a socket without a
# connection: ICMP fails the next call of a connected one, which then sends nothing.

my ($source, $target, $port, $kind, $first, $last, $times) = @ARGV;
my %discovery = (sweep => 0, dont => 0, want => 1, do => 2);
my ($from, $to, $six) = (at($source, 0), at($target, $port), family($source) == AF_INET6);
my ($level, $discover, $known, $control) = $six ? (41, 23, 24, 58) : (0, 10, 14, 1);
sub datagrams { socket my $made, family($source), SOCK_DGRAM, 0 or die "socket: $!\n";
  bind $made, $from or die "bind $source: $!\n"; $made }
my ($data, $marks) = (datagrams(), datagrams());
socket my $icmp, family($source), SOCK_RAW, $control or die "socket: $!\n";
setsockopt $data, $level, $discover, pack "i", $discovery{$kind} or die "MTU_DISCOVER: $!\n";
sub mark { my ($what, $number) = @_; my $answer;
  send $marks, pack("a1 N", $what, $number) . "x" x (@marker@ - 5), 0, $to or die "marker: $!\n";
  my $ready = ""; vec($ready, fileno $marks, 1) = 1;
  select($ready, undef, undef, 2) > 0 or die "no answer to marker $number within 2 s\n";
  recv $marks, $answer, 65535, 0 // die "recv: $!\n"; my ($of, $came) = unpack "N a*", $answer;
  $of == $number or die "marker $number: answer to $of\n"; $came }
sub mtu { my $asked = datagrams(); connect $asked, $to or die "connect: $!\n";
  unpack "i", getsockopt $asked, $level, $known // die "MTU: $!\n" }
my $number = 0; mark "m", 0; print "sender $kind mtu ", mtu(), "\n";
for my $size ($first .. $last) { for (1 .. $times) {
  $number++; my $sent = send $data, pack("a1 N", "d", $number) . "x" x ($size - 5), 0, $to;
  $sent or $! == POSIX::EMSGSIZE() or die "datagram of $size: $!\n";
  my $came = mark "m", $number; my $fate = $came eq "$number:$size" ? "arrived" : "missing";
  die "datagram $number of $size: found $came\n" if $came ne "" and $fate eq "missing";
  print "datagram $number of $size ", $sent ? "sent" : "refused", " $fate mtu ", mtu(), "\n";
  while (defined(my $by = recv $icmp, my $packet, 256, MSG_DONTWAIT)) {
    my (undef, $from) = $six ? unpack_sockaddr_in6 $by : unpack_sockaddr_in $by;
    my ($type, $code, $mtu) = $six ? unpack "C2 x2 N", $packet
      : unpack "C2 x4 n", substr $packet, 4 * (15 & ord $packet);
    print "told $number by ", inet_ntop(family($source), $from), " mtu $mtu\n"
      if "$type $code" eq ($six ? "2 0" : "3 4");
  }
} }
mark "q", $number + 1;
