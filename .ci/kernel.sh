#!/usr/bin/env bash
# What the tests need that boot a kernel: QEMU 9 or newer with its header for plugins, and a kernel
# of the distribution, all below .tools/kernel but for the packages. Debian and Ubuntu; elsewhere
# install QEMU, busybox, lz4, zstd and a C compiler, and lay out the two by hand.
#   .ci/kernel.sh
set -euo pipefail
cd "$(dirname "$0")/.."
place=$PWD/.tools/kernel
# Of a kernel that shares this machine's root (9p): what that takes, disks, and a driver to gate.
modules=(virtio virtio_ring virtio_pci virtio_pci_modern_dev virtio_pci_legacy_dev virtio_blk
  9p 9pnet 9pnet_virtio netfs fscache overlay null_blk configfs)

die() { printf 'kernel: %s\n' "$*" >&2; exit 1; }
has() { # PLACE [FILE...]: that kernel, with these files of it
  compgen -G "$place/$1/boot/vmlinuz-*" >/dev/null &&
    [ "$(cat "$place/$1/files" 2>/dev/null)" = "${*:2}" ]
}
ready() { [ -f "$place/qemu-plugin.h" ] && has debian && has shared "${modules[@]}"; }
new_enough() {
  local version
  version=$(qemu-system-x86_64 --version 2>/dev/null | sed -n 's/^QEMU emulator version \([0-9]*\).*/\1/p')
  [ "${version:-0}" -ge 9 ]
}
programs() { command -v busybox lz4 zstd setpriv cc >/dev/null && [ -e /usr/include/stdio.h ]; }

if ready && new_enough && programs; then exit 0; fi
command -v apt-get >/dev/null 2>&1 ||
  die "only apt is known here. Install QEMU 9 or newer, busybox, lz4, zstd, gcc and libc6-dev; put" \
    "QEMU's include/qemu/qemu-plugin.h and an unpacked kernel package (debian/) into $place."

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || die "root is needed to install packages."
  as_root=(sudo -n)
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$place" "$work/lists/partial" "$work/parts"

# The archive as this machine has it, with sources and backports, and with the keys that apt trusts.
# Nothing of the machine's own lists is changed.
# shellcheck disable=SC2016 # apt's own variables
IFS='|' read -r uri codename <<<"$(apt-get indextargets --format '$(REPO_URI)|$(CODENAME)' \
  'Created-By: Packages' 'Identifier: Packages' |
  grep -E '\|(bookworm|trixie|forky|jammy|noble)$' | head -n 1)"
[ -n "$uri" ] || die "no archive of the distribution is known to apt; run apt-get update."
suites=$codename
[ "$codename" != bookworm ] || suites="$codename $codename-backports"
printf 'Types: deb deb-src\nURIs: %s\nSuites: %s\nComponents: main\n' \
  "$uri" "$suites" >"$work/parts/own.sources"
own=(-o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$work/parts"
  -o "Dir::State::Lists=$work/lists" -o "APT::Sandbox::User=root")
"${as_root[@]}" apt-get "${own[@]}" update -q >/dev/null
from=()
[ "$codename" != bookworm ] || from=(-t "$codename-backports")

if ! new_enough; then
  echo "kernel: installing QEMU"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${own[@]}" install -y -q \
    --no-install-recommends "${from[@]}" qemu-system-x86 >/dev/null
  new_enough || die "QEMU is older than 9 here, and no newer one is in the distribution."
fi
if ! programs; then
  echo "kernel: installing busybox, lz4, zstd, gcc"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${own[@]}" install -y -q \
    --no-install-recommends busybox-static lz4 zstd util-linux gcc libc6-dev >/dev/null
fi
cd "$work"
if [ ! -f "$place/qemu-plugin.h" ]; then
  echo "kernel: fetching QEMU's header for plugins"
  apt-get "${own[@]}" source -q --download-only --tar-only "qemu${from[1]:+/${from[1]}}" >/dev/null
  tar -xf qemu_*.orig.tar.* --wildcards --no-anchored qemu-plugin.h
  find . -name qemu-plugin.h -exec cp {} "$place/" \; -quit
  [ -f "$place/qemu-plugin.h" ] || die "QEMU's source holds no qemu-plugin.h."
fi

# A kernel of the distribution, unpacked; of one that needs little, only the files that are named.
kernel() { # PLACE PATTERN [MODULE...]
  local name module wanted=()
  if has "$1" "${@:3}"; then return; fi
  for module in "${@:3}"; do wanted+=("*/$module.ko*"); done
  [ "${#wanted[@]}" = 0 ] || wanted+=('*/boot/vmlinuz-*' '*/modules.builtin' '*/modules.order')
  name=$(apt-cache "${own[@]}" search --names-only "$2" | cut -d' ' -f1 | sort -V | head -n 1)
  [ -n "$name" ] || die "the distribution has no kernel package that is known here."
  echo "kernel: fetching $name"
  apt-get "${own[@]}" download -q "$name" >/dev/null
  rm -rf "$place/new"
  mkdir "$place/new"
  dpkg-deb --fsys-tarfile "$name"_*.deb | tar -x -C "$place/new" --wildcards "${wanted[@]}"
  echo "${*:3}" >"$place/new/files"
  rm -rf "${place:?}/$1"
  mv "$place/new" "$place/$1"
}
kernel debian '^linux-image-[0-9.-]*(-cloud-amd64|-generic)$'
kernel shared '^linux-image-[0-9.-]*(-amd64|-generic)$' "${modules[@]}"
ready || die "something is still missing in $place."
