# A file server's load by dbench, or its network half by tbench.
#   dbench.sh disk CLIENTS SECONDS       on files in the work directory
#   dbench.sh network CLIENTS SECONDS    through TCP on this host, to a server that is started here
. "${0%/*}/common.sh"
whole CLIENTS "${2:-}"
whole SECONDS "${3:-}"
[ "$3" -ge 2 ] || die "dbench says no rate for less than 2 seconds"
need dbench "apt install dbench"
load=
for place in /usr/share/dbench /usr/share /usr/local/share /usr/share/doc/dbench; do
  [ -n "$load" ] || [ ! -f "$place/client.txt" ] || load=$place/client.txt
done
[ -n "$load" ] || die "there is no client.txt of dbench: apt install dbench"

serve() {
  need tbench_srv "apt install dbench"
  # 1B5B is port 7003, which tbench always uses; 0A is a socket that listens.
  ! grep -q ':1B5B [0-9A-F]*:0000 0A ' /proc/net/tcp /proc/net/tcp6 ||
    die "something listens on port 7003 already, and tbench knows no other"
  tbench_srv >/dev/null 2>&1 &
  server=$!
  trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || :' EXIT
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    ! grep -q ':1B5B [0-9A-F]*:0000 0A ' /proc/net/tcp || return 0
    sleep 0.1
  done
  die "tbench_srv does not listen"
}

case ${1:-} in
disk)
  set -- dbench -D "$GATE_WORK/dbench" -c "$load" -t "$3" "$2"
  rm -rf "$GATE_WORK/dbench"
  mkdir "$GATE_WORK/dbench"
  ;;
network)
  serve
  set -- tbench -c "$load" -t "$3" "$2" 127.0.0.1
  ;;
*) die "say disk or network" ;;
esac
"$@" >"$GATE_WORK/dbench.said" 2>&1 || die "$1 failed: $(tail -n 1 "$GATE_WORK/dbench.said")"
# A table of operations and how often each was done, then "Throughput 804.979 MB/sec  20 clients ..."
awk '
  /^ Operation /  { table = 1 }
  table && NF == 4 && $2 ~ /^[0-9]+$/ { operations += $2 }
  /^Throughput /  { print "rate", $2, "MB/s" }
  END             { print "operations", operations + 0 }
' "$GATE_WORK/dbench.said"
