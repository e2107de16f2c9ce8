# The first process of a host that is a set of namespaces (lab/netns.py); its argument is the number
# of the last interface. It waits for its interfaces, which are moved in once its namespace exists.
@files@
mkdir -p /run/sshd /run/lab
tar -xf seed.tar -C /run/lab
@network@
@wait@
sh -e /run/lab/network.sh
/usr/sbin/sshd -f /dev/null -h /run/lab/ssh_host_ed25519_key \
  -o UsePAM=no -o UseDNS=no -o PasswordAuthentication=no -o MaxSessions=50 -o StrictModes=no \
  -o AuthorizedKeysFile=/run/lab/authorized_keys -o PidFile=none \
  -o 'Subsystem=sftp internal-sftp'
echo LAB-READY
