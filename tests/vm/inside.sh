#!/bin/sh
# Second program of the machine, on its root: devices and their names, then the command.
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm /run/lock
mount -t devpts pts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs -o mode=1777 tmp /var/tmp
mount -t cgroup2 cgroup /sys/fs/cgroup
mount -t securityfs security /sys/kernel/security
modprobe -a nvme ahci sd_mod virtio_scsi virtio_blk loop dm_mod
/lib/systemd/systemd-udevd --daemon 2>/dev/null
udevadm trigger --action=add --subsystem-match=block
udevadm settle
ip link set lo up
. /run/vm/command >/run/vm/out 2>/run/vm/err </dev/null
echo $? >/run/vm/status
sync
busybox poweroff -f
