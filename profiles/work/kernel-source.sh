# A kernel tree from the distribution's source package. Sourced, never run.
# shellcheck shell=sh
# Sets $tree. Unpacked once for each work directory, without the sources of the largest drivers and
# of sound, which no small configuration builds.
tree=$GATE_WORK/kernel/tree

kernel_tarball() {
  for found in $(ls /usr/src/linux-source-*.tar.xz 2>/dev/null | sort -V); do :; done
  [ -n "${found:-}" ] ||
    die "there is no /usr/src/linux-source-*.tar.xz: apt install linux-source"
  echo "$found"
}

unpack_kernel() {
  [ ! -d "$tree" ] || return 0
  tarball=$(kernel_tarball)
  rm -rf "$tree.half"
  mkdir -p "$tree.half"
  set --
  for part in gpu net media staging scsi infiniband; do
    set -- "$@" --exclude="*/drivers/$part/*.[ch]"
  done
  tar -xJf "$tarball" -C "$tree.half" --strip-components=1 "$@" --exclude='*/sound/*.[ch]'
  sync -f "$GATE_WORK"
  mv "$tree.half" "$tree"
}
