"""Requests to charon over its control socket, many from one process. swanctl sends one request and
ends, and a guest takes longer to start it than to negotiate. This script speaks the same protocol
(vici, documented in strongSwan's sources under libcharon/plugins/vici) in Perl, which every Debian
system has. For requests such as rekeying, which a daemon answers before it has finished, its
counters show when all is done (`timed`)."""

LIMIT_S = 120
"""time after which a count that is not complete is given up [s]"""
SOCKET = "/run/charon.vici"
"""which charon makes while it starts; questions are answered once it has started"""
_CONNECT = r"""my $charon = IO::Socket::UNIX->new(Peer => $path) or die "charon.vici: $!\n";
sub take { my $got = ""; my $length = shift;
  while (length $got < $length) { sysread($charon, $got, $length - length $got, length $got)
    or die "charon closed its socket\n" } $got }
"""
_SCRIPT = (
    r"""
use strict; use IO::Socket::UNIX;
my $path = shift; my $count = shift; my @requests = map { [split /,/] } @ARGV;
"""
    + _CONNECT
    + r"""for (1 .. $count) { for (@requests) {
  my ($name, @fields) = @$_; my $must = $name =~ s/!$//;
  my $packet = pack("C C/a*", 0, $name);
  $packet .= pack("C C/a* n/a*", 3, split /=/) for @fields;
  syswrite $charon, pack("N/a*", $packet);
  my $answer = take(unpack "N", take(4));
  next if !$must or $answer =~ /success\0\x03yes/;
  die $answer =~ /errmsg..([ -~]+)/s ? "$1\n" : "refused: $name\n" } }
"""
)


# System calls by their numbers: the Perl of a minimal Debian has no Time::HiRes.
_TIMED = (
    r"""
use strict; use POSIX (); use IO::Socket::UNIX;
my ($path, $limit, $batch, $count, $counter, $command, $key, $prefix, @fields) = @ARGV;
my %calls = (x86_64 => 228, aarch64 => 113);
my $clock = $calls{(POSIX::uname())[4]} // die "clock_gettime: unknown architecture\n";
sub now { my $t = pack "q2", 0, 0; syscall $clock, 1, $t;
  my ($s, $ns) = unpack "q2", $t; $s * 1_000_000_000 + $ns }
"""
    + _CONNECT
    + r"""sub ask { my $packet = pack("C C/a*", 0, shift);
  $packet .= pack("C C/a* n/a*", 3, split /=/, $_, 2) for @_;
  syswrite $charon, pack("N/a*", $packet); take(unpack "N", take(4)) }
my $begin = now();
for my $number (1 .. $count) {
  my @name = $key eq "-" ? () : ($key . "=" . $prefix . ($number - 1));
  my $answer = ask($command, @name, @fields);
  $answer =~ /success\0\x03yes/ or $key eq "-"
    or die $answer =~ /errmsg..([ -~]+)/s ? "@name: $1\n" : "@name: $command refused\n";
  print "asked $number ", now() - $begin, "\n" if $number == $count or !($number % $batch);
}
while ($counter ne "-") {
  my ($done) = ask("get-counters") =~ /$counter..([0-9]+)/s or die "no counter $counter\n";
  my $at = now() - $begin;
  if ($done >= $count) { print "counted $done $at\n"; last }
  die "$counter: $done of $count after $limit s\n" if $at > $limit * 1e9;
  select undef, undef, undef, 0.01;
}
"""
)


def ask(count: int, *requests: str) -> list[str]:
    """A command that makes the requests in turn, `count` times, each after the last was answered. A
    request is '<command>,<field>=<value>,...'; one whose command ends with ! must succeed."""
    return ["perl", "-e", _SCRIPT, SOCKET, str(count), *requests]


def timed(
    count: int, batch: int, command: str, names: str = "-=", *fields: str, counter: str = "-"
) -> list[str]:
    """A command that asks `count` times, and prints the time since its beginning [ns] after every
    `batch` requests and, with `counter`, when charon's counter of this name has reached `count`.
    `names` is '<field>=<prefix>', to which each request adds its number, from 0. Every request must
    succeed, except for requests without a name, whose success charon does not report."""
    key, _, prefix = names.partition("=")
    numbers = [str(number) for number in (LIMIT_S, batch, count)]
    words = [SOCKET, *numbers, counter, command, key, prefix, *fields]
    return ["perl", "-e", _TIMED, *words]
