# Makes requests in turn, each after the last was answered.

use strict; use IO::Socket::UNIX;
my $path = shift; my $count = shift; my @requests = map { [split /,/] } @ARGV;
@connect@
for (1 .. $count) { for (@requests) {
  my ($name, @fields) = @$_; my $must = $name =~ s/!$//;
  my $packet = pack("C C/a*", 0, $name);
  $packet .= pack("C C/a* n/a*", 3, split /=/) for @fields;
  syswrite $charon, pack("N/a*", $packet);
  my $answer = take(unpack "N", take(4));
  next if !$must or $answer =~ /success\0\x03yes/;
  die $answer =~ /errmsg..([ -~]+)/s ? "$1\n" : "refused: $name\n" } }
