# One stressor of stress-ng, alone on one CPU, for so many seconds.
#   stress.sh STRESSOR SECONDS
. "${0%/*}/common.sh"
[ -n "${1:-}" ] || die "which stressor? get, for example"
whole SECONDS "${2:-}"
need stress-ng "apt install stress-ng"
said=$GATE_WORK/stress.yaml
rm -f "$said"
quietly stress-ng "--$1" 1 --timeout "$2" --no-rand-seed --temp-path "$GATE_WORK" --yaml "$said" \
  --metrics
[ -s "$said" ] || die "stress-ng wrote no figures"
sed -n -e 's/^ *bogo-ops: *\([0-9]*\)$/operations \1/p' \
  -e 's/^ *bogo-ops-per-second-real-time: *\([0-9.]*\)$/rate \1 op\/s/p' "$said"
