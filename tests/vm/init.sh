#!/bin/busybox sh
# First program of the machine: its root is this machine's, read-only over 9p, below a layer in
# memory that takes every write; kernel modules and storage tools lie between the two.
for applet in mkdir mount insmod switch_root; do
    /bin/busybox ln -s busybox /bin/$applet
done
mount -t proc proc /proc
for module in /modules/*; do insmod "$module"; done
for below in host tools; do
    mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=512000,cache=loose $below /$below
done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000 share /share
mount -t tmpfs -o size=75% top /top
mkdir /top/upper /top/work
mount -t overlay -o "lowerdir=/tools:/host,upperdir=/top/upper,workdir=/top/work" root /new
mount -t tmpfs run /new/run
mkdir /new/run/vm
mount -o move /share /new/run/vm
exec switch_root /new /bin/sh /run/vm/inside.sh
