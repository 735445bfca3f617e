# A kernel build, configured as small as it can be (tinyconfig), beside its source.
#   build-kernel.sh prepare              unpack, configure, build the tools; remove the last build
#   build-kernel.sh run JOBS TARGET...   build TARGETs with so many jobs; all means every CPU
. "${0%/*}/common.sh"
. "${0%/*}/kernel-source.sh"
for one in make gcc flex bison bc; do need $one "apt install $one"; done
build=$GATE_WORK/kernel/build

kbuild() {
  # The variables of a make that may have started the gate are not this build's.
  quietly env -u MAKEFLAGS -u MAKELEVEL make -s -C "$tree" O="$build" \
    KBUILD_BUILD_TIMESTAMP=@0 KBUILD_BUILD_USER=gate KBUILD_BUILD_HOST=gate "$@"
}

case ${1:-} in
prepare)
  unpack_kernel
  if [ ! -d "$build.prepared" ]; then
    rm -rf "$build"
    mkdir -p "$build"
    kbuild tinyconfig
    kbuild -j"$(nproc)" prepare
    rm -rf "$build.half" # of a trial that was stopped
    cp -a "$build" "$build.half"
    mv "$build.half" "$build.prepared"
  fi
  rm -rf "$build"
  cp -a "$build.prepared" "$build"
  sync -f "$GATE_WORK"
  ;;
run)
  jobs=${2:-}
  [ "$jobs" != all ] || jobs=$(nproc)
  whole JOBS "$jobs"
  [ $# -gt 2 ] || die "build what? vmlinux, or directories such as kernel/sched/"
  [ -d "$build" ] || die "there is no $build: run build-kernel.sh prepare first"
  shift 2
  before=$(find "$build" -name '*.o' | wc -l)
  kbuild -j"$jobs" "$@"
  objects=$(($(find "$build" -name '*.o' | wc -l) - before))
  [ "$objects" -gt 0 ] || die "nothing was built of $*: run build-kernel.sh prepare first"
  echo "objects $objects"
  ;;
*) die "say prepare, or run JOBS TARGET..." ;;
esac
