"""The two programs of probe sizes, in Perl, which every Debian has: sender and receiver."""

MARKER = 400
"""payload of a marker [bytes]: larger than the rest of a datagram that was cut, smaller than the
datagrams that are sent"""
PORT = 9000
"""UDP port of the receiver"""

RECEIVER = r"""
use strict; use Socket;
my ($address, $port, $limit) = @ARGV; my @came;
socket my $in, PF_INET, SOCK_DGRAM, 0 or die "socket: $!\n";
bind $in, pack_sockaddr_in $port, inet_aton $address or die "bind $address:$port: $!\n";
$| = 1; print "listening\n"; alarm $limit;
while (1) {
  my $from = recv $in, my $data, 65535, 0 // die "recv: $!\n";
  my ($what, $number) = unpack "a1 N", $data;
  if ($what eq "d") { push @came, "$number:" . length $data; next }
  send $in, pack("N", $number) . join(" ", @came), 0, $from; @came = ();
  last if $what eq "q";
}
"""
"""answers each marker with number and size of the datagrams that came since the one before"""

# IP_MTU_DISCOVER is option 10, IP_MTU 14. Data goes from a socket without a connection: a connected
# one is told of ICMP by an error of its next call, which then sends nothing.
SENDER = (
    r"""
use strict; use POSIX (); use Socket;
my ($source, $target, $port, $kind, $first, $last, $times) = @ARGV;
my %discovery = (sweep => 0, dont => 0, want => 1, do => 2);
my $from = pack_sockaddr_in 0, inet_aton $source;
my $to = pack_sockaddr_in $port, inet_aton $target;
sub datagrams { socket my $made, PF_INET, SOCK_DGRAM, 0 or die "socket: $!\n";
  bind $made, $from or die "bind $source: $!\n"; $made }
my ($data, $marks) = (datagrams(), datagrams());
socket my $icmp, PF_INET, SOCK_RAW, 1 or die "socket: $!\n";
setsockopt $data, 0, 10, pack "i", $discovery{$kind} or die "IP_MTU_DISCOVER: $!\n";
sub mark { my ($what, $number) = @_; my $answer;
  send $marks, pack("a1 N", $what, $number) . "x" x ("""
    + str(MARKER)
    + r""" - 5), 0, $to or die "marker: $!\n";
  my $ready = ""; vec($ready, fileno $marks, 1) = 1;
  select($ready, undef, undef, 2) > 0 or die "no answer to marker $number within 2 s\n";
  recv $marks, $answer, 65535, 0 // die "recv: $!\n"; my ($of, $came) = unpack "N a*", $answer;
  $of == $number or die "marker $number: answer to $of\n"; $came }
sub mtu { my $asked = datagrams(); connect $asked, $to or die "connect: $!\n";
  unpack "i", getsockopt $asked, 0, 14 // die "IP_MTU: $!\n" }
my $number = 0; mark "m", 0; print "sender $kind mtu ", mtu(), "\n";
for my $size ($first .. $last) { for (1 .. $times) {
  $number++; my $sent = send $data, pack("a1 N", "d", $number) . "x" x ($size - 5), 0, $to;
  $sent or $! == POSIX::EMSGSIZE() or die "datagram of $size: $!\n";
  my $came = mark "m", $number; my $fate = $came eq "$number:$size" ? "arrived" : "missing";
  die "datagram $number of $size: found $came\n" if $came ne "" and $fate eq "missing";
  print "datagram $number of $size ", $sent ? "sent" : "refused", " $fate mtu ", mtu(), "\n";
  while (defined recv $icmp, my $packet, 256, MSG_DONTWAIT) {
    my ($type, $code, undef, undef, $mtu) = unpack "C2 n3", substr $packet, 4 * (15 & ord $packet);
    print "told $number by ", inet_ntoa(substr $packet, 12, 4), " mtu $mtu\n"
      if $type == 3 and $code == 4;
  }
} }
mark "q", $number + 1;
"""
)
"""sends the datagrams of one kind of sender, and prints a line for each: what the kernel did with
it, whether it arrived, and the path's MTU by what the kernel knows then; a line for each ICMP
message "fragmentation needed" """
