# One operation of ImageMagick on one photograph, by a single thread.
#   image.sh prepare                   make both photographs, once
#   image.sh OPERATION FORMAT          rotate-90, rotate-any or blur; tiff or png
. "${0%/*}/common.sh"
photos=$GATE_WORK/photos
for tool in magick convert-im6.q16 convert ''; do
  [ -n "$tool" ] || die "ImageMagick is not installed: apt install imagemagick"
  ! command -v "$tool" >/dev/null 2>&1 || break
done

case ${1:-} in
prepare)
  python3 "${0%/*}/make-data.py" images "$photos"
  exit
  ;;
rotate-90) set -- "${2:-}" -rotate 90 ;;
rotate-any) set -- "${2:-}" -rotate 33 ;;
blur) set -- "${2:-}" -blur 10x3.3 ;; # radius 10 of a Gaussian ends at some three deviations
*) die "say prepare, rotate-90, rotate-any or blur" ;;
esac
format=$1
shift
case $format in
tiff | png) ;;
*) die "the format is tiff or png, not '$format'" ;;
esac
[ -f "$photos/photo.$format" ] || die "there is no photo.$format: run image.sh prepare first"
export MAGICK_TEMPORARY_PATH="$GATE_WORK" MAGICK_THREAD_LIMIT=1
rm -f "$GATE_WORK/picture.$format"
quietly "$tool" "$photos/photo.$format" "$@" "$GATE_WORK/picture.$format"
[ -s "$GATE_WORK/picture.$format" ] || die "$tool made no picture"
