#!/usr/bin/env bash
# The locked packages against the OSV database of known vulnerabilities. Ends with 1 where one is
# known; where the database cannot be reached nothing is known, which is said and fails nothing.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

said=$(.venv/bin/uv audit --locked --preview-features audit-command \
  ${OSV_URL:+--service-url "$OSV_URL"} 2>&1)
status=$?
printf '%s\n' "$said"
case $said in
  *'Request failed'* | *'error sending request'* | *'dns error'*)
    echo "audit: NOTHING WAS AUDITED: the database (${OSV_URL:-https://api.osv.dev}) cannot be reached"
    [ -z "${GITHUB_ACTIONS:-}" ] || echo "::warning::nothing was audited: osv.dev cannot be reached"
    exit 0
    ;;
esac
exit "$status"
