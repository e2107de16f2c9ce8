# Trials write into Debian's folder of strongSwan. /etc/swanctl begins empty, so that the machine's own
# configuration is not used. /etc/strongswan.d begins as a copy, since its files load plugins.
mount -t tmpfs -o mode=700 tmpfs /mnt
if [ -d /etc/strongswan.d ]; then
  cp -a /etc/strongswan.d /mnt
  mount --bind /mnt/strongswan.d /etc/strongswan.d
fi
if [ -d /etc/swanctl ]; then
  mount -t tmpfs -o mode=700 tmpfs /etc/swanctl
  mkdir /etc/swanctl/private /etc/swanctl/x509 /etc/swanctl/x509ca
fi
