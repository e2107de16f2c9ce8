# Trials write into /run and /tmp. /sys is mounted again to show the namespace's interfaces.
mount -t sysfs sys /sys
for d in /run /tmp; do mount -t tmpfs tmpfs $d; done
mkdir -p /run/lock
