#!/usr/bin/env bash
# Builds both sides and runs `gate check`. Nothing that the change prints is taken for a command of
# the runner, and neither build nor check sees the files by which a step talks to it.
set -euo pipefail

gate=${GATE:?the gate could not be installed}
out=${IN_OUT:?no fresh directory}
head=$(realpath "$IN_HEAD")
base=${IN_BASE:+$(realpath "$IN_BASE")}

here=$(realpath "$(dirname "$0")")

mark=$(head -c 32 /dev/urandom | sha256sum | cut -c1-48)
echo "::stop-commands::$mark"
trap 'printf "\n::%s::\n" "$mark"' EXIT

if [ -n "$IN_BUILD" ]; then
  for side in ${base:+"$base"} "$head"; do
    echo "building $side"
    (cd "$side" && bash "$here/apart.sh" bash -euo pipefail -c "$IN_BUILD") </dev/null
  done
fi

arguments=(--out "$out" --profiles "$IN_PROFILES_DIR" --baseline "$IN_BASELINE" --size "$IN_SIZE"
  --alpha "$IN_ALPHA" --beta "$IN_BETA" --shard "$IN_SHARD" --wait "$IN_WAIT")
[ -z "$IN_WORK" ] || arguments+=(--work "$IN_WORK")
[ -z "$IN_HOST_CLASS" ] || arguments+=(--host-class "$IN_HOST_CLASS")
[ -z "$IN_ALLOW" ] || arguments+=(--allow "$IN_ALLOW")
if [ -n "$IN_MERGE_BASE" ]; then
  arguments+=(--merge-base "$IN_MERGE_BASE")
  [ "${IN_APPROVED:-}" = true ] || arguments+=(--unapproved)
  for content in ${IN_ACCEPTED:-}; do
    arguments+=(--accepted "$content")
  done
  bash "$here/apart.sh" bash "$here/levels.sh" "$head" "$IN_MERGE_BASE" "$IN_BASELINE"
fi
[ -z "$base" ] || arguments+=(--base "$base" --head "$head")
read -ra profiles <<<"${IN_PROFILES//$'\n'/ }"

cd "$head"
status=0
bash "$here/apart.sh" "$gate" check "${arguments[@]}" -- "${profiles[@]}" </dev/null || status=$?
echo "gate check ended with status $status"
# Open or closed is said by the last step, from the report: here only a gate that fails itself fails.
[ "$status" -ne 1 ]
