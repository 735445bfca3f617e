#!/usr/bin/env bash
# apart.sh COMMAND...: runs a build or a measurement without the files by which a step talks to its
# runner, without tokens, and at home below the job's own temporary directory: what an earlier job left
# in the runner's home is no configuration of git, pip, uv or perf, no package and no interpreter.
# Whoever starts code of a change does it by this, and by nothing else.
set -euo pipefail

for name in $(compgen -e); do
  case $name in
    ACTIONS_* | GITHUB_ENV | GITHUB_OUTPUT | GITHUB_PATH | GITHUB_STATE | GITHUB_STEP_SUMMARY) unset "$name" ;;
    GITHUB_TOKEN | GH_TOKEN | GITHUB_ENTERPRISE_TOKEN | GH_ENTERPRISE_TOKEN) unset "$name" ;;
  esac
done
if [ -n "${DRIFTGATE_HOME:-}" ]; then # the machine's owner knows one
  export HOME=$DRIFTGATE_HOME
elif [ -n "${RUNNER_TEMP:-}" ]; then
  # What the gate must put back on the machine is found by the next job, also where one was killed.
  [ -n "${XDG_STATE_HOME:-}" ] || [ -z "${HOME:-}" ] || export XDG_STATE_HOME=$HOME/.local/state
  export HOME=$RUNNER_TEMP/driftgate-home
  mkdir -p "$HOME"
  unset XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME PYTHONUSERBASE
fi
exec "$@"
