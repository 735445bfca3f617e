#!/usr/bin/env bash
# Makes the gate ready and says where it is: output `gate`. The program is the one that the machine's
# owner names in DRIFTGATE_GATE (in the runner's own environment), or this very commit, installed
# from its lock file into a directory that lasts as long as the job.
set -euo pipefail

say() { printf 'gate=%s\n' "$1" >>"$GITHUB_OUTPUT"; }
die() { printf '::error title=driftgate::%s\n' "$*"; exit 1; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
apart() { bash "$root/.github/actions/gate/apart.sh" "$@"; }

rm -rf "${RUNNER_TEMP:?}/driftgate-home" # of an earlier job
# Programs are found by PATH, which the machine's owner sets: there the gate can only warn.
while IFS= read -r -d : folder; do
  case $folder in
    "${HOME:-/nonexistent}"/*)
      [ ! -w "$folder" ] ||
        echo "::warning title=driftgate::PATH has $folder, where one job can leave programs for the next" ;;
  esac
done <<<"$PATH:"

if [ -n "${DRIFTGATE_GATE:-}" ]; then
  [ -x "$DRIFTGATE_GATE" ] || die "DRIFTGATE_GATE names no program: $DRIFTGATE_GATE"
  apart "$DRIFTGATE_GATE" --version
  say "$DRIFTGATE_GATE"
  exit 0
fi

[ -f "$root/uv.lock" ] || die "this is no checkout of driftgate: $root has no uv.lock"
apart python3 -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  die "python3 3.11 or newer is needed on this runner, or a gate named in DRIFTGATE_GATE"

# Nothing that an earlier job could write: uv unpacks packages into its cache, and trusts them there.
place=${RUNNER_TEMP:?}/driftgate
rm -rf "$place"
export UV_CACHE_DIR=$place/cache PIP_NO_CACHE_DIR=1
apart python3 -I -m venv "$place/uv"
apart "$place/uv/bin/python" -I -m pip install --quiet --disable-pip-version-check \
  --require-hashes --only-binary :all: -r "$root/.ci/uv.txt"
export UV_PROJECT_ENVIRONMENT=$place/venv
# Wheels only: nothing that others wrote is built here; then the gate itself, which is all that is left.
apart "$place/uv/bin/uv" sync --quiet --project "$root" \
  --locked --no-dev --no-build --no-install-project --compile-bytecode
apart "$place/uv/bin/uv" sync --quiet --project "$root" --locked --no-dev --no-editable --compile-bytecode
apart "$place/venv/bin/gate" --version
say "$place/venv/bin/gate"
