#!/bin/bash
# Boots a virtual machine with a kernel of its own and throw-away disks, runs one command in it as
# root, prints what the command printed and ends with its exit status. See README.md beside this.
#
#   tests/vm/boot.sh [--disk nvme|sata|scsi|virtio[:SIZE]]... [--cpus N] [--memory SIZE]
#                    [--machine q35|pc] [--accel tcg|kvm] [--cpu MODEL] [--append WORDS]
#                    [--limit SECONDS] [--log FILE] -- COMMAND [WORD...]
set -euo pipefail

packages="kmod udev dmsetup lvm2 libdevmapper-event1.02.1 liblvm2cmd2.03 dmeventd libaio1
          mdadm nvme-cli libnvme1 libjson-c5 smartmontools libcap-ng0"
cache=${DRIFTGATE_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/driftgate/vm}
here=$(dirname "$(realpath "$0")")
machine=q35 accel=tcg cpu=max cpus=2 memory=2G append="" limit=300 log=/dev/null disks=()

# The kernel and the storage tools, unpacked beside each other; never installed on this machine.
fetch() (
    mkdir -p "$cache"
    exec 9>"$cache/lock"
    flock 9
    [ -e "$cache/ready" ] && return
    tree=$cache/tree
    rm -rf "$tree" "$cache/debs" "$cache/early"
    mkdir -p "$tree/usr" "$cache/debs" "$cache/early"
    image=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: //p' | head -n 1)
    # shellcheck disable=SC2086 # a list of words
    (cd "$cache/debs" && apt-get download -qq -o APT::Sandbox::User=root "$image" $packages)
    for name in "$cache"/debs/*.deb; do dpkg-deb --extract "$name" "$tree"; done
    for name in bin sbin lib; do # where these are links into /usr, as on this machine
        [ -d "$tree/$name" ] && cp -a "$tree/$name" "$tree/usr/" && rm -r "${tree:?}/$name"
    done
    rm -rf "$cache/debs" "$tree"/usr/share/{doc,man,locale}
    ln -s usr/lib "$tree/lib"
    version=$(ls "$tree/usr/lib/modules")
    for name in depmod modprobe; do ln -sf tree/usr/bin/kmod "$cache/$name"; done
    "$cache/depmod" -b "$tree" "$version"
    number=10 # the modules that the root needs, in the order in which they need each other
    for name in virtio_pci 9pnet_virtio 9p overlay; do
        "$cache/modprobe" -d "$tree" -S "$version" --show-depends $name
    done | awk '!seen[$2]++ { print $2 }' | while read -r name; do
        cp "$name" "$cache/early/$((number++)).ko"
    done
    rm "$tree/lib"
    touch "$cache/ready"
)

# What must be there before the root file system is: its drivers, and a shell that mounts it.
initramfs() {
    local root=$run/root
    mkdir -p "$root"/{bin,modules,proc,dev,host,tools,share,top,new}
    cp "$(command -v busybox)" "$root/bin/busybox"
    cp "$cache"/early/*.ko "$root/modules/"
    install -m 755 "$here/init.sh" "$root/init"
    (cd "$root" && find . | cpio --quiet -o -H newc) >"$run/initramfs"
    rm -r "$root"
}

# One drive: a sparse file of its own, with a serial number, so that /dev/disk/by-id names it.
drive() {
    local bus=${1%%:*} size number=$((drives++)) port=() on="" file
    size=$([ "$bus" = "$1" ] && echo 1G || echo "${1#*:}")
    file=$run/disk$number
    truncate -s "$size" "$file"
    disks+=(-drive "if=none,id=d$number,file=$file,format=raw,discard=unmap")
    case $bus in
    nvme)
        if [ "$machine" = q35 ]; then # a slot of PCI Express, so that the drive has a link
            port=(-device "pcie-root-port,id=slot$number,chassis=$number,slot=$number")
            on=",bus=slot$number"
        fi
        disks+=("${port[@]}" -device "nvme,drive=d$number,serial=GATE$number$on")
        ;;
    sata) disks+=(-device "ide-hd,drive=d$number,serial=GATE$number,bus=sata.$((ports++))") ;;
    scsi) disks+=(-device "scsi-hd,drive=d$number,serial=GATE$number,bus=scsi.0") ;;
    virtio) disks+=(-device "virtio-blk-pci,drive=d$number,serial=GATE$number") ;;
    *) echo "boot.sh: no such disk: $1" >&2 && exit 97 ;;
    esac
}

for program in qemu-system-x86_64 busybox cpio apt-get; do
    command -v $program >/dev/null && continue
    echo "boot.sh: $program is missing: apt-get install qemu-system-x86 busybox-static cpio" >&2
    exit 97
done
run=$(mktemp -d "${TMPDIR:-/tmp}/driftgate-vm.XXXXXX")
trap 'rm -rf "$run"' EXIT
ports=0 drives=0 wanted=()
while [ $# -gt 0 ]; do
    case $1 in
    --disk) wanted+=("$2") ;;
    --machine) machine=$2 ;;
    --accel) accel=$2 ;;
    --cpu) cpu=$2 ;;
    --cpus) cpus=$2 ;;
    --memory) memory=$2 ;;
    --append) append=$2 ;;
    --limit) limit=$2 ;;
    --log) log=$2 ;;
    --) shift && break ;;
    *) echo "boot.sh: what is $1?" >&2 && exit 97 ;;
    esac
    shift 2
done
[ $# -gt 0 ] || { sed -n '2,8s/^# \?//p' "$0" && exit 97; }

for disk in "${wanted[@]}"; do drive "$disk"; done
fetch
initramfs
mkdir "$run/share"
cp "$here/inside.sh" "$run/share/"
printf 'cd %q\n' "$PWD" >"$run/share/command"
printf '%q ' "$@" >>"$run/share/command"

timeout "$limit" qemu-system-x86_64 -nodefaults -no-user-config -no-reboot -display none \
    -machine "$machine,accel=$accel" -cpu "$cpu" -smp "$cpus" -m "$memory" \
    -kernel "$(echo "$cache"/tree/boot/vmlinuz-*)" -initrd "$run/initramfs" \
    -append "console=ttyS0 panic=-1 quiet $append" -serial "file:$log" \
    -virtfs "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap" \
    -virtfs "local,path=$cache/tree,mount_tag=tools,security_model=none,readonly=on" \
    -virtfs "local,path=$run/share,mount_tag=share,security_model=none" \
    -device ahci,id=sata -device virtio-scsi-pci,id=scsi "${disks[@]}" </dev/null >&2 || true
[ -e "$run/share/status" ] || { echo "boot.sh: the machine ended before its command did" >&2 && exit 98; }
cat "$run/share/out"
cat "$run/share/err" >&2
exit "$(cat "$run/share/status")"
