#!/usr/bin/env bash
# apart.sh COMMAND...: runs a build or a measurement without the files by which a step talks to its
# runner, and without tokens. Whoever starts code of a change does it by this, and by nothing else.
set -euo pipefail

for name in $(compgen -e); do
  case $name in
    ACTIONS_* | GITHUB_ENV | GITHUB_OUTPUT | GITHUB_PATH | GITHUB_STATE | GITHUB_STEP_SUMMARY) unset "$name" ;;
    GITHUB_TOKEN | GH_TOKEN | GITHUB_ENTERPRISE_TOKEN | GH_ENTERPRISE_TOKEN) unset "$name" ;;
  esac
done
exec "$@"
