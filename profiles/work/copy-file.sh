# One large file, copied to the disk.
#   copy-file.sh prepare KB   make the file, and leave nothing of the last copy
#   copy-file.sh run          copy it, and wait until the disk has it
#   copy-file.sh load KB      make the file that the background load copies
#   copy-file.sh loop KB      one round of a background load: copy another such file, remove it
. "${0%/*}/common.sh"
source=$GATE_WORK/copy-file.source copy=$GATE_WORK/copy-file.copy
load=$GATE_WORK/copy-load.source

made() { # PATH KB: a kB is 1000 bytes
  [ "$(stat -c %s "$1" 2>/dev/null)" = "$(($2 * 1000))" ] && return
  # Whole or not at all: the load is at work already while its trial is prepared.
  python3 "${0%/*}/make-data.py" file "$1.$$" "$(($2 * 1000))"
  mv "$1.$$" "$1"
}

case ${1:-} in
prepare)
  whole KB "${2:-}"
  rm -f "$copy"
  made "$source" "$2"
  sync -f "$GATE_WORK"
  ;;
run)
  [ -f "$source" ] || die "there is no $source: run copy-file.sh prepare first"
  cp --reflink=never "$source" "$copy"
  sync "$copy"
  echo "copied $(stat -c %s "$copy") B"
  ;;
load)
  whole KB "${2:-}"
  made "$load" "$2"
  sync -f "$GATE_WORK"
  ;;
loop)
  whole KB "${2:-}"
  made "$load" "$2"
  cp --reflink=never "$load" "$load.copy"
  rm "$load.copy"
  ;;
*) die "say prepare KB, run, load KB, or loop KB" ;;
esac
