# Sends echo requests until one is answered. SCHED_FIFO is 1. Little is done between two requests: all
# of it delays the daemon.

my ($source, $target, $spacing, $limit) = @ARGV;
socket my $icmp, PF_INET, SOCK_RAW, 1 or die "socket: $!\n";
bind $icmp, pack_sockaddr_in 0, inet_aton $source or die "$source: $!\n";
my $to = pack_sockaddr_in 0, inet_aton $target;
my $id = $$ & 0xffff; my $mask = ""; vec($mask, fileno $icmp, 1) = 1;
my $priority = pack "i", 1; syscall $sched_setscheduler, 0, 1, $priority;
my (@sent, $answered);
my $next = now(); my $end = $next + $limit * 1e9;
while (!$answered and $next < $end and @sent < 65535) {
  my $seq = @sent + 1; my $sum = 0x0800 + $id + $seq;
  $sum = ($sum & 0xffff) + ($sum >> 16) while $sum >> 16;
  my $at = now(); push @sent, $at;
  send $icmp, pack("C2 n3", 8, 0, ~$sum & 0xffff, $id, $seq), 0, $to;
  $next += $spacing; $next = $at if $next < $at;
  while ($at <= $next and select(my $ready = $mask, undef, undef, ($next - $at) / 1e9) > 0) {
    defined recv $icmp, my $packet, 256, MSG_DONTWAIT or last;
    my ($type, undef, undef, $whose, $which) =
      unpack "C2 n3", substr $packet, 4 * (15 & ord $packet);
    $at = now(); next if $type != 0 or $whose != $id;
    $answered = "answered $which $at\n"; last;
  }
}
print map { "sent " . ($_ + 1) . " $sent[$_]\n" } 0 .. $#sent;
print $answered // "unanswered\n";
