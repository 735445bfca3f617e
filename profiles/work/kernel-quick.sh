# What a kernel does for everybody, one aspect at a time, for some SECONDS each.
#   kernel-quick.sh prepare ASPECT       make what it needs: for files a tree of small ones
#   kernel-quick.sh ASPECT SECONDS
. "${0%/*}/common.sh"
here=${0%/*} aspect=${1:-}
[ "$aspect" = prepare ] || whole SECONDS "${2:-}"

files() { # copy a tree of small files and remove it, three times a second as a rule
  started=$(date +%s%N)
  copies=$(($1 * 3))
  for _ in $(seq "$copies"); do
    sh "$here/copy-tree.sh" run >"$GATE_WORK/files"
    rm -rf "$GATE_WORK/copy-tree.copy"
  done
  read -r _ each <"$GATE_WORK/files"
  awk -v files=$((copies * each)) -v ns=$(($(date +%s%N) - started)) \
    'BEGIN { printf "operations %d\nrate %.1f op/s\n", files, files / (ns / 1e9) }'
}

case $aspect in
prepare) [ "${2:-}" != files ] || sh "$here/copy-tree.sh" prepare 10000000 ;;
syscall) sh "$here/stress.sh" get "$2" ;;   # some fifty calls that only ask
switch) sh "$here/stress.sh" pipe "$2" ;;   # two processes that wait for each other
loopback) sh "$here/stress.sh" sock "$2" ;; # TCP on this host
futex | fork | fault | dentry) sh "$here/stress.sh" "$aspect" "$2" ;;
chat) sh "$here/chat.sh" 20 $(($2 * 80)) | sed 's/^messages/operations/' ;;
files) files "$2" ;;
*) die "there is no aspect '$aspect'" ;;
esac
