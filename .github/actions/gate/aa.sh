#!/usr/bin/env bash
# Rounds of `gate calibrate`, then what they say of this machine, in the summary of the step.
set -euo pipefail

gate=${GATE:?the gate could not be installed}
here=$(realpath "$(dirname "$0")")
names=${PROFILES:?} # separated by spaces
[ -n "${GATE_HOST_CLASS:-}" ] || unset GATE_HOST_CLASS
read -ra profiles <<<"${names//$'\n'/ }"
where=(--profiles "$PROFILES_DIR" --baseline "$BASELINE")
told=$(mktemp)
trap 'rm -f "$told"' EXIT

mark=$(head -c 32 /dev/urandom | sha256sum | cut -c1-48)
echo "::stop-commands::$mark"
if [ -n "$IN_BUILD" ]; then
  bash "$here/apart.sh" bash -euo pipefail -c "$IN_BUILD" </dev/null
fi
status=0
bash "$here/apart.sh" "$gate" calibrate "${where[@]}" --rounds "$ROUNDS" --wait 2h \
  -- "${profiles[@]}" </dev/null >"$told" || status=$?
power=0
{
  echo
  bash "$here/apart.sh" "$gate" power "${where[@]}" -- "${profiles[@]}" || power=$?
} >>"$told"
printf '\n::%s::\n' "$mark"

# Four spaces make it a block of text, whatever stands in it.
{
  echo "## How often the gate is right on this machine"
  echo
  sed 's/^/    /' "$told"
  echo
  echo "Commit \`$BASELINE/CLASS/calibration.toml\` of the artifact \`driftgate-calibration\`, and every report says so."
} >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
sed 's/^::/ ::/; s/##\[/## [/g' "$told"
# A tolerance that is not held is told above; a promise that is contradicted fails.
[ "$status" -eq 0 ] || exit "$status"
[ "$power" -eq 0 ] || [ "$power" -eq 5 ] || exit "$power"
