#!/usr/bin/env bash
# Judges what a workflow run measured. The change's commit is fetched for its text (which of the
# judge's rules does it edit?) and is never checked out, and nothing of it is run.
set -euo pipefail

gate=${GATE:?the gate could not be installed}
here=$(realpath "$(dirname "$0")")
out=$OUT
measured=${RUNNER_TEMP:?}/driftgate-measured
rm -rf "$measured" "$out"
mkdir -p "$out"

case $CONCLUSION in
  success | failure) ;;
  *) # What an earlier attempt left is no verdict on this one.
    echo "nothing is judged: measuring ended as $CONCLUSION"
    exit 0 # the report that is made next says so, and is closed
    ;;
esac

# A private repository wants the token, which must not stay in the checkout's configuration.
secret=$(printf 'x-access-token:%s' "$GITHUB_TOKEN" | base64 -w0)
with_token() {
  GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.${GITHUB_SERVER_URL:-https://github.com}/.extraheader" \
    GIT_CONFIG_VALUE_0="AUTHORIZATION: basic $secret" "$@"
}
with_token git -C tree fetch --quiet --no-tags origin "+$HEAD_REF:refs/driftgate/head"
if [ "$(git -C tree rev-parse refs/driftgate/head)" != "$HEAD_SHA" ]; then
  echo "pull request $NUMBER has another commit by now" >"$out.why"
  echo "::error title=driftgate::pull request $NUMBER has another commit by now; its own run will be judged"
  exit 6
fi

with_token bash "$here/levels.sh" tree "${AGAINST:-HEAD}" "$BASELINE"

# What is missing of the sessions closes the gate below, with its name.
"$gate" publish fetch --run "$RUN" --artifact driftgate-session --shards "$SHARDS" \
  --file session.json --out "$measured" || echo "not everything that was measured could be fetched"

arguments=(--out "$out" --profiles "$PROFILES_DIR" --baseline "$BASELINE" --size "$SIZE"
  --alpha "$ALPHA" --beta "$BETA" --shards "$SHARDS" --merge-base "${AGAINST:-HEAD}" --proposed "$HEAD_SHA")
[ "$APPROVED" != true ] || arguments+=(--workflows-approved)
# A commit that only adds accepted baselines is judged by what was measured of the one before.
[ "${MEASURED:-$HEAD_SHA}" = "$HEAD_SHA" ] || arguments+=(--measured "$MEASURED")
for content in ${ACCEPTED:-}; do
  arguments+=(--accepted "$content")
done
[ -z "$ALLOW" ] || arguments+=(--allow "$ALLOW")
sessions=0
read -ra profiles <<<"${IN_PROFILES//$'\n'/ }"
for profile in "${profiles[@]}"; do
  arguments+=(--only "$profile")
done
while IFS= read -r file; do
  arguments+=(--session "$file")
  sessions=$((sessions + 1))
done < <(find "$measured" -name session.json -type f 2>/dev/null | sort)
if [ "$sessions" -eq 0 ] && [ "$CONCLUSION" != success ]; then
  # The report that is made next is closed, and says how measuring ended, which is the reason.
  echo "nothing was measured: measuring ended as $CONCLUSION"
  exit 0
fi

cd tree
status=0
bash "$here/apart.sh" "$gate" judge "${arguments[@]}" || status=$?
echo "gate judge ended with status $status"
# Open or closed is said by the last step, from the report.
[ "$status" -ne 1 ]
