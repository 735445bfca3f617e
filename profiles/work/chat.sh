# Chat rooms of 20 users by hackbench: in each room 20 threads send to 20 others through sockets.
#   chat.sh ROOMS LOOPS     every sender sends LOOPS messages of 100 bytes to each of the 20
. "${0%/*}/common.sh"
whole ROOMS "${1:-}"
whole LOOPS "${2:-}"
need hackbench "apt install rt-tests"
# Every thread of all rooms has its sockets in one table.
files=$(ulimit -H -n)
[ "$files" = unlimited ] || [ "$files" -ge $((42 * $1 + 64)) ] ||
  die "$1 rooms need $((42 * $1 + 64)) open files, and $files are allowed: raise ulimit -Hn"
ulimit -S -n "$files"
hackbench -T -g "$1" -f 20 -l "$2" -s 100 >"$GATE_WORK/hackbench" ||
  die "hackbench failed: $(tail -n 1 "$GATE_WORK/hackbench")"
# "Time: 0.975", and every sender has sent to 20 receivers
awk -v messages=$(($1 * 20 * 20 * $2)) '
  /^Time: / { printf "messages %d\nrate %.1f op/s\n", messages, messages / $2 }
' "$GATE_WORK/hackbench"
