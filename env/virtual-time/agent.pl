# Runs commands for the measuring process, one after the other, as root of this guest or of one of
# its hosts. The clock stands while it waits for a question (virtual-time.c).
#
#   question   NUMBER HOST SECONDS         HOST: a name in /run/hosts, or -, the guest itself
#   answer     NUMBER STATUS CLOCK         STATUS: exit status; CLOCK: CLOCK_MONOTONIC [s]
#
# The folder that both see holds, for question 7, 7.script, 7.input, 7.output and 7.errors. A command
# that takes longer than SECONDS is ended, with status 124 (timeout(1)).
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

my ($terminal, $folder) = @ARGV;
my @spaces = ('-n', '-m', '-p', '-u');

sub content {
    open(my $file, '<:raw', shift) or return '';
    local $/;
    return scalar(<$file>) // '';
}

# Copied, because what a background process still writes would reach the other side at any time.
sub hand_over {
    my ($from, $to) = @_;
    open(my $file, '>:raw', $to) or die "$to: $!";
    print $file content($from);
    close($file) or die "$to: $!";
}

sub run {
    my ($number, $host, $seconds) = @_;
    my @enter = $host eq '-' ? () : ('nsenter', '-t', content("/run/hosts/$host") + 0, @spaces);
    my $process = fork // die "fork: $!";
    if (!$process) {
        open(STDIN, '<', "$folder/$number.input") or die "$folder/$number.input: $!";
        open(STDOUT, '>', '/run/agent.output') or die "/run/agent.output: $!";
        open(STDERR, '>', '/run/agent.errors') or die "/run/agent.errors: $!";
        exec('timeout', $seconds, @enter, 'sh', '-c', content("$folder/$number.script"));
        exit 127;
    }
    waitpid($process, 0);
    my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    hand_over('/run/agent.output', "$folder/$number.output");
    hand_over('/run/agent.errors', "$folder/$number.errors");
    return $status;
}

system("stty raw -echo <$terminal") == 0 or die 'stty';
open(my $channel, '+<:raw', $terminal) or die "$terminal: $!";
syswrite($channel, sprintf("0 0 %.9f\n", clock_gettime(CLOCK_MONOTONIC)));
while (defined(my $question = readline($channel))) {
    my ($number, $host, $seconds) = split ' ', $question;
    my $status = run($number, $host, $seconds);
    syswrite($channel, sprintf("%d %d %.9f\n", $number, $status, clock_gettime(CLOCK_MONOTONIC)));
}
