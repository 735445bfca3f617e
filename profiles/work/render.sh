# POV-Ray: a vase under a sky at 320 x 240, in so many threads.
#   render.sh THREADS DEPTH      DEPTH x DEPTH rays for each pixel, 9 at most
. "${0%/*}/common.sh"
whole THREADS "${1:-}"
whole DEPTH "${2:-}"
[ "$2" -le 9 ] || die "DEPTH must be 9 at most, not $2"
need povray "apt install povray"
export HOME="$GATE_WORK" # it looks for settings there
picture=$GATE_WORK/vase.png
rm -f "$picture"
quietly povray -D +W320 +H240 +A0.0 +R"$2" +FN +WT"$1" "+I${0%/*}/vase.pov" "+O$picture"
[ -s "$picture" ] || die "povray made no picture"
