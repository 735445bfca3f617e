#!/usr/bin/env bash
# Asks `gate publish required`, which needs nothing but click.
set -euo pipefail

if [ -n "${DRIFTGATE_GATE:-}" ]; then
  exec "$DRIFTGATE_GATE" publish required --needs "$NEEDS"
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
place=${RUNNER_TEMP:?}/driftgate-required
python3 -m venv "$place"
"$place/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes \
  --only-binary :all: -r "$root/.github/actions/required/requirements.txt"
cd "$root" # `-m` looks into the working directory first
exec "$place/bin/python" -m gate publish required --needs "$NEEDS"
