# Answers each marker with number and size of the datagrams that came since the one before.

my ($address, $port, $limit) = @ARGV; my @came;
socket my $in, family($address), SOCK_DGRAM, 0 or die "socket: $!\n";
bind $in, at($address, $port) or die "bind $address:$port: $!\n";
$| = 1; print "listening\n"; alarm $limit;
while (1) {
  my $from = recv $in, my $data, 65535, 0 // die "recv: $!\n";
  my ($what, $number) = unpack "a1 N", $data;
  if ($what eq "d") { push @came, "$number:" . length $data; next }
  send $in, pack("N", $number) . join(" ", @came), 0, $from; @came = ();
  last if $what eq "q";
}
