# Many small files, copied with cp -R. The disk plays no part: nothing waits for it.
#   copy-tree.sh prepare BYTES   make the tree, and leave nothing of the last copy
#   copy-tree.sh run             copy it
. "${0%/*}/common.sh"
source=$GATE_WORK/copy-tree.source copy=$GATE_WORK/copy-tree.copy

case ${1:-} in
prepare)
  whole BYTES "${2:-}"
  rm -rf "$copy"
  if [ "$(cat "$source.size" 2>/dev/null)" != "$2" ]; then
    rm -rf "$source"
    python3 "${0%/*}/make-data.py" tree "$source" "$2"
    echo "$2" >"$source.size"
  fi
  cp -R "$source" "$copy" # every trial finds the source in memory
  find "$copy" -type f | wc -l >"$source.files"
  rm -rf "$copy"
  sync -f "$GATE_WORK"
  ;;
run)
  [ -s "$source.files" ] || die "there is no tree: run copy-tree.sh prepare first"
  [ ! -e "$copy" ] || die "$copy is left over: run copy-tree.sh prepare first"
  cp -R "$source" "$copy"
  echo "files $(cat "$source.files")"
  ;;
*) die "say prepare BYTES, or run" ;;
esac
