# Functions for addresses of either family.

use strict; use POSIX (); use Socket qw(:all);
sub family { $_[0] =~ /:/ ? AF_INET6 : AF_INET }
sub at { my ($address, $port) = @_; my $number = inet_pton family($address), $address;
  $address =~ /:/ ? pack_sockaddr_in6 $port, $number : pack_sockaddr_in $port, $number }
