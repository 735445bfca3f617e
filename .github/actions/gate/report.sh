#!/usr/bin/env bash
# After this there is a report, also where the check was cancelled, killed or never began. Says which
# page is uploaded, and the suffix of this shard's artifacts.
set -euo pipefail

: "${IN_OUT:?no fresh directory}"
suffix=
case $IN_SHARD in
  1/1) ;;
  *) suffix=-${IN_SHARD/\//-of-} ;;
esac
mkdir -p "$IN_OUT"
if [ -n "${GATE:-}" ]; then
  # Without the step's own files: this only writes the report that is missing.
  env -u GITHUB_STEP_SUMMARY -u GITHUB_OUTPUT "$GATE" publish step "$IN_OUT" \
    --refused "$(cat "$IN_OUT.why" 2>/dev/null || true)" --because "measuring ended as $ENDED" \
    >/dev/null 2>&1 || true
fi
[ ! -f "$IN_OUT/report.html" ] || cp "$IN_OUT/report.html" "$IN_OUT/driftgate-report$suffix.html"
{
  echo "suffix=$suffix"
  echo "page=$IN_OUT/driftgate-report$suffix.html"
} >>"$GITHUB_OUTPUT"
