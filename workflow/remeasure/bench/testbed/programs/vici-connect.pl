# Connects to charon at $path. `take` reads so many bytes.
my $charon = IO::Socket::UNIX->new(Peer => $path) or die "charon.vici: $!\n";
sub take { my $got = ""; my $length = shift;
  while (length $got < $length) { sysread($charon, $got, $length - length $got, length $got)
    or die "charon closed its socket\n" } $got }
