#!/usr/bin/env bash
# The report of this run as the check of the commit and as the one comment of the pull request.
set -euo pipefail

gate=${GATE:?the gate could not be installed}
judged=${RUNNER_TEMP:?}/driftgate-judged
rm -rf "$judged"
mkdir -p "$judged"
"$gate" publish fetch --run "$THIS_RUN" --artifact driftgate-report --file report.json --out "$judged" ||
  env -u GITHUB_STEP_SUMMARY -u GITHUB_OUTPUT "$gate" publish step "$judged" \
    --because "the judging job left no report" >/dev/null || true

status=0
unmeasured=()
[ "${UNMEASURED:-}" != true ] || unmeasured=(--unmeasured)
"$gate" publish check "$judged/report.json" --head "$HEAD_SHA" --name "$CHECK" "${unmeasured[@]}" \
  --said "${SAID:-closed}" --report-url "$PAGE" || status=$?
[ "${QUEUED:-}" != true ] || exit "$status" # the pull request's own head has a comment
"$gate" publish comment "$judged/report.json" --pull "$NUMBER" --head "$HEAD_SHA" \
  --said "${SAID:-closed}" --report-url "$PAGE" --run-url "$RUN" || status=$?
exit "$status"
