# Leaves requests unanswered for a pause after the first. Sleeping ends late by the lateness of a
# timer; the last two milliseconds are waited out awake.

my ($source, $pause, $limit) = @ARGV; my $from = inet_aton $source;
$| = 1; open my $switch, ">", "@switch@" or die "@switch@: $!\n";
sub ignore { syswrite $switch, "$_[0]\n" or die "@switch@: $!\n" }
socket my $icmp, PF_INET, SOCK_RAW, 1 or die "socket: $!\n";
$SIG{ALRM} = sub { ignore(0); die "no request came\n" }; alarm $limit;
ignore(1); print "closed\n";
while (1) {
  my $sender = recv $icmp, my $packet, 256, 0 // die "recv: $!\n";
  my (undef, $address) = unpack_sockaddr_in $sender;
  last if $address eq $from and 8 == ord substr $packet, 4 * (15 & ord $packet);
}
my $came = now(); my $left = $pause - 2e6;
select undef, undef, undef, $left / 1e9 if $left > 0;
1 while now() < $came + $pause;
ignore(0); print "opened $came ", now(), "\n";
