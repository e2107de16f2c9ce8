"""Requests to charon that differ in a name alone, and their times.

As in `vici`, one process asks all, each request after the last was answered. Where a daemon answers
before it has done what was asked, as for a rekeying, its counters tell when all is done.
"""

from remeasure.bench.ipsec.vici import SOCKET

LIMIT_S = 120
"""time after which a count that is not complete is given up [s]"""
# System calls by their numbers: the Perl of a minimal Debian has no Time::HiRes.
_SCRIPT = r"""
use strict; use POSIX (); use IO::Socket::UNIX;
my ($path, $limit, $batch, $count, $counter, $command, $key, $prefix, @fields) = @ARGV;
my %calls = (x86_64 => 228, aarch64 => 113);
my $clock = $calls{(POSIX::uname())[4]} // die "clock_gettime: unknown architecture\n";
sub now { my $t = pack "q2", 0, 0; syscall $clock, 1, $t;
  my ($s, $ns) = unpack "q2", $t; $s * 1_000_000_000 + $ns }
my $charon = IO::Socket::UNIX->new(Peer => $path) or die "charon.vici: $!\n";
sub take { my $got = ""; my $length = shift;
  while (length $got < $length) { sysread($charon, $got, $length - length $got, length $got)
    or die "charon closed its socket\n" } $got }
sub ask { my $packet = pack("C C/a*", 0, shift);
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


def timed(
    count: int, batch: int, command: str, names: str = "-=", *fields: str, counter: str = "-"
) -> list[str]:
    """A command that asks `count` times, and prints the time since its beginning [ns] after every
    `batch` requests and, with `counter`, when charon's counter of this name has reached `count`.

    `names` is '<field>=<prefix>', to which each request adds its number, from 0. Every request must
    succeed, but for those without a name, of which charon says no success.
    """
    key, _, prefix = names.partition("=")
    numbers = [str(number) for number in (LIMIT_S, batch, count)]
    words = [SOCKET, *numbers, counter, command, key, prefix, *fields]
    return ["perl", "-e", _SCRIPT, *words]
