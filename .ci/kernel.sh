#!/usr/bin/env bash
# What the tests need that boot a kernel: QEMU 8.2 or newer with its header for plugins, and kernels of
# the distribution, unpacked below .tools/kernel. Debian and Ubuntu; elsewhere install QEMU, busybox,
# lz4, zstd, xz, kmod and a C compiler, and lay out header and kernels by hand.
#   .ci/kernel.sh
set -euo pipefail
cd "$(dirname "$0")/.."
place=$PWD/.tools/kernel
# Where the gate looks by itself: so `make test`, a single pytest and a user's `gate` find the same
# header, with no variable that one of them would have to be given.
header=/usr/local/include/qemu-plugin.h
# Of a kernel that shares this machine's root (9p): what that takes, disks, and a driver to gate.
modules=(virtio virtio_ring virtio_pci virtio_pci_modern_dev virtio_pci_legacy_dev virtio_blk
  9p 9pnet 9pnet_virtio netfs fscache overlay null_blk configfs)

die() { printf 'kernel: %s\n' "$*" >&2; exit 1; }
has() { # PLACE [FILE...]: that kernel, with these files of it
  compgen -G "$place/$1/boot/vmlinuz-*" >/dev/null &&
    [ "$(cat "$place/$1/files" 2>/dev/null)" = "${*:2}" ]
}
kernels() { has debian && has shared "${modules[@]}" && has newest "${modules[@]}"; }
has_header() { [ -f /usr/include/qemu-plugin.h ] || [ -f "$header" ]; }
new_enough() {
  [[ $(qemu-system-x86_64 --version 2>/dev/null) =~ "QEMU emulator version "([0-9]+)\.([0-9]+) ]] &&
    [ $((BASH_REMATCH[1] * 100 + BASH_REMATCH[2])) -ge 802 ]
}
programs() { # every single one: `command -v a b` is content with either
  local program
  for program in busybox lz4 zstd xz setpriv cc; do
    command -v "$program" >/dev/null 2>&1 || return 1
  done
  [ -e /usr/include/stdio.h ] && { [ -x /usr/sbin/insmod ] || [ -x /sbin/insmod ]; }
}

if kernels && has_header && new_enough && programs; then exit 0; fi
command -v apt-get >/dev/null 2>&1 ||
  die "only apt is known here. Install QEMU 8.2 or newer, busybox, lz4, zstd, xz, kmod, gcc and libc6-dev;" \
    "put QEMU's include/qemu/qemu-plugin.h at $header, and unpacked kernel packages (debian/," \
    "shared/, newest/) into $place."

mkdir -p "$place"
# shellcheck source=.ci/archive.sh
. .ci/archive.sh

if ! new_enough; then
  echo "kernel: installing QEMU"
  install_own "${from[@]}" qemu-system-x86
  new_enough || die "QEMU is older than 8.2 here, and no newer one is in the distribution."
fi
if ! programs; then
  echo "kernel: installing busybox, lz4, zstd, xz, kmod, gcc"
  install_own busybox-static lz4 zstd xz-utils util-linux kmod gcc libc6-dev
fi
cd "$scratch"
if ! has_header; then
  echo "kernel: fetching QEMU's header for plugins"
  apt-get "${own[@]}" source -q --download-only --tar-only "qemu${from[1]:+/${from[1]}}" >/dev/null
  tar -xf qemu_*.orig.tar.* --wildcards --no-anchored qemu-plugin.h
  found=$(find . -name qemu-plugin.h -print -quit)
  [ -n "$found" ] || die "QEMU's source holds no qemu-plugin.h."
  "${as_root[@]}" install -D -m 644 "$found" "$header"
fi

# The oldest (LINE 1) or the newest kernel (LINE $) of the distribution, unpacked; of one that needs
# little, only the modules that are named.
kernel() { # PLACE LINE FLAVOUR [MODULE...]
  local name file pattern=. packages
  if has "$1" "${@:4}"; then return; fi
  # A number behind the version: what has none is an empty package that needs the newest.
  name=$(apt-cache "${own[@]}" search --names-only "^linux-image-[0-9.]+([-][0-9]+|[+]deb[0-9.]+)-($3)\$" |
    cut -d' ' -f1 | sort -V | sed -n "$2p")
  [ -n "$name" ] || die "the distribution has no kernel package that is known here."
  echo "kernel: fetching $name"
  rm -rf "$place/new" packages
  mkdir "$place/new" packages
  # Ubuntu has the modules in packages of their own.
  mapfile -t packages < <(apt-cache "${own[@]}" search --names-only \
    "^linux-modules(-extra)?-${name#linux-image-}\$" | cut -d' ' -f1)
  (cd packages && apt-get "${own[@]}" download -q "$name" "${packages[@]}" >/dev/null)
  # Newer kernels have some modules in others, and say so in each: the tests' boots miss none.
  [ $# -le 3 ] || pattern="/(boot/vmlinuz-.*|modules\.(builtin|order)|($(IFS='|'; echo "${*:4}"))\.ko(\.[a-z]+)?)\$"
  for file in packages/*.deb; do
    dpkg-deb --fsys-tarfile "$file" >data.tar
    tar -tf data.tar | grep -E "$pattern" >names || continue
    tar -xf data.tar -C "$place/new" --no-recursion -T names
  done
  [ -d "$place/new/lib" ] || ln -s usr/lib "$place/new/lib" # where /lib is but a link
  echo "${*:4}" >"$place/new/files"
  rm -rf "${place:?}/$1"
  mv "$place/new" "$place/$1"
}
kernel debian 1 'cloud-amd64|generic'
kernel shared 1 'amd64|generic' "${modules[@]}"
kernel newest '$' 'amd64|generic' "${modules[@]}"
kernels || die "something is still missing in $place."
