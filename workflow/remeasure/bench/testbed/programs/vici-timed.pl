# Prints how long requests take. System calls by their numbers: the Perl of a minimal Debian has no
# Time::HiRes.

use strict; use POSIX (); use IO::Socket::UNIX;
my ($path, $limit, $batch, $count, $counter, $command, $key, $prefix, @fields) = @ARGV;
my %calls = (x86_64 => 228, aarch64 => 113);
my $clock = $calls{(POSIX::uname())[4]} // die "clock_gettime: unknown architecture\n";
sub now { my $t = pack "q2", 0, 0; syscall $clock, 1, $t;
  my ($s, $ns) = unpack "q2", $t; $s * 1_000_000_000 + $ns }
@connect@
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
