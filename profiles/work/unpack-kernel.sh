# The kernel's source, unpacked from a tar archive that bzip2 has packed.
#   unpack-kernel.sh prepare all       pack the whole source, and leave nothing of the last run
#   unpack-kernel.sh prepare PART...   pack these directories of it alone
#   unpack-kernel.sh run               unpack
. "${0%/*}/common.sh"
. "${0%/*}/kernel-source.sh"
need bzip2 "apt install bzip2"
archive=$GATE_WORK/unpack-kernel.tar.bz2 out=$GATE_WORK/unpack-kernel.out

pack() {
  if [ "$1" = all ]; then
    tarball=$(kernel_tarball)
    # The shell would not tell of an xz that fails in a pipe.
    xz -dc "$tarball" >"$archive.tar"
    tar -tf "$archive.tar" | grep -c '[^/]$' >"$archive.files"
  else
    unpack_kernel
    tar -cf "$archive.tar" --sort=name -C "$tree" "$@"
    tar -tf "$archive.tar" | grep -c '[^/]$' >"$archive.files"
  fi
  bzip2 -c "$archive.tar" >"$archive.half"
  rm "$archive.tar"
  mv "$archive.half" "$archive"
}

case ${1:-} in
prepare)
  shift
  [ $# -gt 0 ] || die "prepare what? all, or directories of the source"
  rm -rf "$out"
  mkdir "$out"
  if [ ! -f "$archive" ] || [ "$(cat "$archive.parts" 2>/dev/null)" != "$*" ]; then
    pack "$@"
    echo "$*" >"$archive.parts"
  fi
  sync -f "$GATE_WORK"
  ;;
run)
  [ -f "$archive" ] || die "there is no $archive: run unpack-kernel.sh prepare first"
  tar -xjf "$archive" -C "$out"
  echo "files $(cat "$archive.files")"
  ;;
*) die "say prepare all, prepare PART..., or run" ;;
esac
