#!/usr/bin/env bash
# Takes the sessions of a first baseline: several sittings, ten trials each, nothing judged.
set -euo pipefail

gate=${GATE:?the gate could not be installed}
here=$(realpath "$(dirname "$0")")
out=$(realpath -m "$IN_OUT")
mark=$(head -c 32 /dev/urandom | sha256sum | cut -c1-48)
echo "::stop-commands::$mark"
trap 'printf "\n::%s::\n" "$mark"' EXIT

cd "$IN_HEAD"
if [ -n "$IN_BUILD" ]; then
  bash "$here/apart.sh" bash -euo pipefail -c "$IN_BUILD" </dev/null
fi
arguments=(--repeat "$IN_SITTINGS" --trials 10 --out "$out/sessions" --handover "$out/session.json"
  --profiles "$IN_PROFILES_DIR" --baseline "$IN_BASELINE" --size "$IN_SIZE" --wait 2h)
[ -z "$IN_HOST_CLASS" ] || arguments+=(--host-class "$IN_HOST_CLASS")
read -ra profiles <<<"${IN_PROFILES//$'\n'/ }"
bash "$here/apart.sh" "$gate" run "${arguments[@]}" -- "${profiles[@]}" </dev/null
