"""Requests to charon over its control socket, many from one process.

swanctl sends one request and ends, and a guest takes longer to start it than to negotiate. This
script speaks the same protocol (vici, documented in strongSwan's sources under
libcharon/plugins/vici) in Perl, which every Debian system has.
"""

SOCKET = "/run/charon.vici"
"""which charon makes while it starts; questions are answered once it has started"""
_SCRIPT = r"""
use strict; use IO::Socket::UNIX;
my $path = shift; my $count = shift; my @requests = map { [split /,/] } @ARGV;
my $charon = IO::Socket::UNIX->new(Peer => $path) or die "charon.vici: $!\n";
sub take { my $got = ""; my $length = shift;
  while (length $got < $length) { sysread($charon, $got, $length - length $got, length $got)
    or die "charon closed its socket\n" } $got }
for (1 .. $count) { for (@requests) {
  my ($name, @fields) = @$_; my $must = $name =~ s/!$//;
  my $packet = pack("C C/a*", 0, $name);
  $packet .= pack("C C/a* n/a*", 3, split /=/) for @fields;
  syswrite $charon, pack("N/a*", $packet);
  my $answer = take(unpack "N", take(4));
  next if !$must or $answer =~ /success\0\x03yes/;
  die $answer =~ /errmsg..([ -~]+)/s ? "$1\n" : "refused: $name\n" } }
"""


def ask(count: int, *requests: str) -> list[str]:
    """A command that makes the requests in turn, `count` times, each after the last was answered.

    A request is '<command>,<field>=<value>,...'; one whose command ends with ! must succeed.
    """
    return ["perl", "-e", _SCRIPT, SOCKET, str(count), *requests]
